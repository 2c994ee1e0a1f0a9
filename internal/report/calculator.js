// The calculator of a page: it reads a record from a form and interprets the rule of the model.
// The functions of sibyl use no document, so that other programs can run them.
const sibyl = {
  // number returns a plain decimal as [negative, digits before the point, digits after it], or null.
  number(text) {
    const m = /^([+\-\u2212]?)(\d*)(?:\.(\d*))?$/.exec(text.trim());
    if (!m || (m[2] + (m[3] || "")) === "") return null;
    const whole = m[2].replace(/^0+/, ""), fraction = (m[3] || "").replace(/0+$/, "");
    return [m[1] !== "" && m[1] !== "+" && whole + fraction !== "", whole, fraction];
  },

  // compare returns a negative number if a < b, zero if a = b, and a positive one if a > b, exactly.
  compare(a, b) {
    if (a[0] !== b[0]) return a[0] ? -1 : 1;
    const size = a[1].length - b[1].length || (a[1] > b[1]) - (a[1] < b[1]) || (a[2] > b[2]) - (a[2] < b[2]);
    return a[0] ? -size : size;
  },

  // code returns the category of what was entered in a field, or -1 if it has none.
  code(field, text) {
    if (!field.cuts) {
      const code = text === "" ? -1 : Number(text);
      return Number.isInteger(code) && code >= 0 && code < field.categories.length ? code : -1;
    }
    let value, order;
    if (field.date) {
      if (!/^\d{4}-\d\d-\d\d$/.test(text)) return -1;
      value = text;
      order = (cut) => (value > cut) - (value < cut);
    } else {
      value = sibyl.number(text);
      if (!value) return -1;
      order = (cut) => sibyl.compare(value, sibyl.number(cut));
    }
    if ((field.missing || []).some((cut) => order(cut) === 0)) return field.other ? field.categories.length - 1 : -1;
    let code = 0;
    while (code < field.cuts.length && order(field.cuts[code]) >= 0) code++;
    return code;
  },

  // holds interprets a formula; a condition lists the accepted codes of a field.
  holds(formula, codes) {
    const count = (parts) => parts.filter((part) => sibyl.holds(part, codes)).length;
    if (formula.field !== undefined) return formula.accepts.includes(codes[formula.field]);
    if (formula.all) return count(formula.all) === formula.all.length;
    if (formula.any) return count(formula.any) > 0;
    if (formula.odd) return count(formula.odd) % 2 === 1;
    if (formula.of) return count(formula.of) >= formula.least;
    return !sibyl.holds(formula.not, codes);
  },

  // grade interprets the rule: it returns the number that the rule determines (points, the number of
  // a rule or leaf, or the outcome), the index of the predicted outcome, and for points the bonus.
  grade(rule, codes) {
    if (rule.points) {
      const bonus = rule.if && sibyl.holds(rule.if, codes) ? rule.bonus : 0;
      const total = rule.points.reduce((sum, own, i) => sum + (own[codes[i]] || 0), rule.start + bonus);
      return { grade: total, outcome: total >= rule.threshold ? 1 : 0, bonus };
    }
    if (rule.steps) {
      const i = rule.steps.findIndex((step) => step.if.every((c) => sibyl.holds(c, codes)));
      return i < 0 ? { grade: 0, outcome: rule.otherwise } : { grade: i + 1, outcome: rule.steps[i].predict };
    }
    if (rule.tree) {
      let at = rule.tree;
      while (at.if) at = sibyl.holds(at.if, codes) ? at.yes : at.no;
      return { grade: at.leaf, outcome: at.predict };
    }
    const outcome = sibyl.holds(rule.formula, codes) ? 1 : 0;
    return { grade: outcome, outcome };
  },

  // evaluate returns the grade, the outcome, and the risks as texts.
  evaluate(model, codes) {
    const found = sibyl.grade(model.rule, codes);
    if (model.risks) {
      let value = found.grade;
      if (model.by === "prediction") value = found.outcome;
      if (model.by === "rule") value = found.grade > 0 ? found.grade - 1 : model.rule.steps.length;
      found.risks = (model.risks.find((r) => value <= r.most) || {}).texts;
    }
    return found;
  },
};

if (typeof document === "object") {
  const model = JSON.parse(document.getElementById("model").textContent);
  const form = document.getElementById("calculator");
  const element = (id) => document.getElementById(id);
  const signed = (v) => (v > 0 ? "+" + v : v < 0 ? "\u2212" + -v : "0");
  const entered = (field, i) => {
    const unknown = element("unknown" + i);
    if (unknown) element("field" + i).disabled = unknown.checked;
    return unknown && unknown.checked ? field.categories.length - 1 : sibyl.code(field, element("field" + i).value);
  };
  const show = () => {
    const codes = model.fields.map(entered);
    const missing = [];
    model.fields.forEach((field, i) => {
      const box = element("field" + i), wrong = codes[i] < 0 && box.value !== "";
      if (codes[i] < 0) missing.push(field.name);
      box.setAttribute("aria-invalid", wrong);
      let text = "";
      if (wrong) text = field.date ? "a date is needed" : "a number such as 12.5 is needed";
      else if (codes[i] >= 0 && field.cuts) text = field.categories[codes[i]];
      element("read" + i).textContent = text;
      const points = element("points" + i);
      if (points && model.rule.points[i].length > 0) points.textContent = codes[i] < 0 ? "" : signed(model.rule.points[i][codes[i]]);
    });
    const result = element("result");
    if (missing.length > 0) {
      result.className = "";
      result.textContent = missing.length === model.fields.length ? "Fill in the form." : "Still missing: " + missing.join(", ") + ".";
      return;
    }
    const found = sibyl.evaluate(model, codes);
    const lines = [];
    if (model.rule.if) lines.push("Bonus: " + signed(found.bonus));
    if (model.rule.points) lines.push("Total: " + signed(found.grade));
    lines.push("Prediction: " + model.outcomes[found.outcome]);
    if (model.rule.tree && model.risks) lines.push("Leaf: " + found.grade);
    (found.risks || []).forEach((text, o) => lines.push((model.of.length > 1 ? model.of[o] : "Risk that " + model.of[o]) + ": " + text));
    result.className = "done";
    result.replaceChildren(...lines.map((line) => {
      const p = document.createElement("p");
      p.textContent = line;
      return p;
    }));
  };
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
}
