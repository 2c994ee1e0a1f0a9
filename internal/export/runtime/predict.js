// Predictions of a released model, as an ES module without dependencies.
// GUARANTEE_OF_THE_EXPORT
// The module reveals no more than the model.

const model = MODEL_OF_THE_EXPORT;

/**
 * Predicts the label of a record.
 *
 * @param {Object} record a value for each column of the model: a text as it stands in the data, a number, a boolean, or null
 *   if the value is missing.
 * @returns {{prediction: (number|string|null), points: (number|undefined), rule: (number|undefined), leaf: (number|undefined),
 *   risk: (number|Object|null)}} the prediction; the total of the points, or the number of the rule or leaf, if the model has
 *   these; and the risk, or the risk of each outcome. All are null if a value is outside the domain of the model.
 */
export function predict(record) {
  const codes = columns.map((column) => column.code(record));
  const inside = codes.every((code) => code >= 0);
  const grade = inside ? value(model.rule, codes) : null;
  const result = inside ? resultOf(grade) : null;
  const { outcomes } = model.label;
  const out = { prediction: null };
  if (inside) out.prediction = outcomes.length > 0 ? outcomes[result.prediction] : result.prediction;
  if (model.measure) out[model.measure] = grade;
  out.risk = null;
  if (inside && model.risks) {
    out.risk = outcomes.length > 0 ? Object.fromEntries(outcomes.map((name, i) => [name, result.risk[i]])) : result.risk[0];
  }
  return out;
}

// value returns the grade of a rule, or whether a formula holds.
function value(node, codes) {
  const holds = (part) => value(part, codes);
  switch (node.is) {
    case "points":
    case "points_with_bonus": {
      const total = node.points.reduce((sum, own, j) => (own.length > 0 ? sum + own[codes[j]] : sum), node.start);
      return node.is === "points_with_bonus" && holds(node.of[0]) ? total + node.bonus : total;
    }
    case "list":
      return node.of.findIndex(holds) + 1;
    case "tree":
      return value(holds(node.of[0]) ? node.of[1] : node.of[2], codes);
    case "leaf":
      return node.number;
    case "decision":
      return holds(node.of[0]) ? 1 : 0;
    case "in":
      return node.codes.includes(codes[node.attribute]);
    case "not":
      return !holds(node.of[0]);
    case "all":
      return node.of.every(holds);
    case "any":
      return node.of.some(holds);
    case "odd":
      return node.of.filter(holds).length % 2 === 1;
    default: // at_least
      return node.of.filter(holds).length >= node.count;
  }
}

function resultOf(grade) {
  let at = 0;
  while (at + 1 < model.results.length && model.results[at + 1].from <= grade) at++;
  return model.results[at];
}

// A Column maps the values of a column to the codes of categories.
class Column {
  constructor(attribute) {
    this.attribute = attribute;
    this.number = attribute.number && new RegExp(attribute.number);
    this.cuts = (attribute.cuts ?? []).map((cut) => numberOf(cut, plainNumber));
    this.missing = (attribute.missing ?? []).map((number) => numberOf(number, plainNumber));
    this.codes = new Map();
    (attribute.values ?? []).forEach((values, code) => values.forEach((text) => this.codes.set(text, code)));
  }

  // code returns the code of a record's category, or -1 if the value is outside the domain.
  code(record) {
    const { column, date, other } = this.attribute;
    if (!Object.hasOwn(record, column)) throw new Error(`the record has no value for column ${JSON.stringify(column)}`);
    let text = textOf(record[column]);
    let plain = typeof record[column] !== "string";
    if (date) {
      const days = daysOf(text, date.format);
      if (days === null || date.missing_days.includes(days) || date.missing.includes(text)) return other;
      text = String(derived(days, date));
      plain = true;
    }
    if (this.cuts.length === 0) return this.codes.get(text) ?? other;
    const x = plain ? numberOf(text, plainNumber) : numberWithUnit(text, this.number, this.attribute.units);
    if (x === null || this.missing.some((m) => compare(m, x) === 0)) return other;
    let code = 0;
    while (code < this.cuts.length && compare(this.cuts[code], x) <= 0) code++;
    return code;
  }
}

// textOf returns the text of a value; numbers as plain decimals.
function textOf(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "NaN";
    if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
    return plainText(value);
  }
  const text = String(value);
  return model.trim ? text.replace(/^[ \t]+|[ \t]+$/g, "") : text;
}

// plainText returns the shortest decimal of a number, without an exponent.
function plainText(x) {
  const [, sign, whole, fraction, exponent] = /^(-?)([0-9]+)[.]?([0-9]*)(?:e([+-][0-9]+))?$/.exec(String(x));
  if (exponent === undefined) return String(x);
  const e = Number(exponent);
  return e > 0 ? sign + whole + fraction.padEnd(e, "0") : sign + "0." + "0".repeat(-e - 1) + whole + fraction;
}

// A number is ±0.DIGITS·10^magnitude, without zeros at either end of the digits. Numbers are compared exactly.
const mostExponent = 2 ** 40; // no text has as many digits
const plainNumber = new RegExp(model.plain);

// numberOf reads a number, or returns null.
function numberOf(text, pattern) {
  const found = pattern.exec(text);
  if (found === null) return null;
  const whole = (found[2] ?? "").replace(/[^0-9]/g, "");
  const fraction = found[3] ?? found[4] ?? "";
  const significant = (whole + fraction).replace(/^0+/, "");
  const digits = significant.replace(/0+$/, "");
  if (digits === "") return { sign: 0, magnitude: 0, digits };
  return {
    sign: found[1] === "-" ? -1 : 1,
    magnitude: significant.length - fraction.length + exponentOf(found[5] ?? "0"),
    digits,
  };
}

function exponentOf(text) {
  const [, sign, digits] = /^([+-]?)0*([0-9]*)$/.exec(text);
  const size = digits.length > 12 ? mostExponent : Math.min(Number(digits), mostExponent);
  return sign === "-" ? -size : size;
}

function compare(a, b) {
  if (a.sign !== b.sign) return a.sign < b.sign ? -1 : 1;
  if (a.magnitude !== b.magnitude) return a.magnitude < b.magnitude ? -a.sign : a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

const blanks = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

function withoutBlanksBefore(text) {
  let at = 0;
  while (at < text.length && blanks.includes(text[at])) at++;
  return text.slice(at);
}

function withoutBlanksAfter(text) {
  let end = text.length;
  while (end > 0 && blanks.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

// numberWithUnit reads a number. A unit may precede it, stand between its sign and its digits, or follow it.
function numberWithUnit(text, pattern, units) {
  let x = numberOf(text, pattern);
  for (const unit of x === null && text !== "" ? units : []) {
    const signed = /^[+-]/.test(text);
    if (text.endsWith(unit)) {
      x = numberOf(withoutBlanksAfter(text.slice(0, -unit.length)), pattern);
    } else if (text.startsWith(unit)) {
      x = numberOf(withoutBlanksBefore(text.slice(unit.length)), pattern);
    } else if (signed && text.startsWith(unit, 1)) {
      const bare = withoutBlanksBefore(text.slice(1 + unit.length));
      x = /^[+-]/.test(bare) ? null : numberOf(text[0] + bare, pattern);
    }
    if (x !== null) return x;
  }
  return x;
}

const clock = "(?:(?:, | |T)([0-9][0-9:.,+\\-ZAPMapm ]{3,}))?$";
const isoDate = new RegExp("^([0-9]{4})(-)([0-9]{2})(-)([0-9]{2})" + clock);
const otherDate = new RegExp("^([0-9]{1,2})([./-])([0-9]{1,2})([./-])([0-9]{4})" + clock);
const firstDay = civilDay(1, 1, 1);
const finalDay = civilDay(9999, 12, 31);

// daysOf reads a date as days since 1970-01-01, or returns null.
function daysOf(text, format) {
  let order = [1, 3, 5];
  let found = isoDate.exec(text);
  if (found === null && format === "epoch") return epochDay(text);
  if (found === null && format !== "iso") {
    found = otherDate.exec(text);
    order = format === "d.m.y" ? [5, 3, 1] : [5, 1, 3];
  }
  if (found === null || found[2] !== found[4] || (found[6] !== undefined && !found[6].includes(":"))) return null;
  const [year, month, day] = order.map((group) => Number(found[group]));
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) return null;
  return civilDay(year, month, day);
}

function epochDay(text) {
  const found = /^(-?)0*([0-9]+)(?:[.]([0-9]+))?$/.exec(text);
  if (found === null || found[2].length > 12) return null;
  const seconds = found[1] === "-" ? -Number(found[2]) : Number(found[2]);
  let days = Math.floor(seconds / 86400);
  if (seconds % 86400 === 0 && found[1] === "-" && /[1-9]/.test(found[3] ?? "")) days--;
  return days < firstDay || days > finalDay ? null : days;
}

function isLeap(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function monthLength(year, month) {
  return month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

// civilDay returns the number of days from 1970-01-01 to a date.
function civilDay(year, month, day) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.round(date.getTime() / 86400000);
}

// derived returns the number of a day that is divided into categories.
function derived(days, { part, age_at: ageAt }) {
  const date = new Date(days * 86400000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  if (part === "year") return year;
  if (part === "month") return month;
  if (part === "weekday") return ((((days + 3) % 7) + 7) % 7) + 1;
  if (part === "day") return day;
  if (ageAt === "") return days;
  const [atYear, atMonth, atDay] = ageAt.split("-").map(Number);
  const before = atMonth < month || (atMonth === month && atDay < day);
  return atYear - year - (before ? 1 : 0);
}

const columns = model.attributes.map((attribute) => new Column(attribute));
