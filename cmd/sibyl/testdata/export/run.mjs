// Prints what exported JavaScript modules predict for the records of cases.json, as JSON: the cells of each record, by case.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const directory = process.argv[2];
const results = [];
for (const { file, columns, rows } of JSON.parse(readFileSync(`${directory}/cases.json`, "utf8"))) {
  const { predict } = await import(pathToFileURL(`${directory}/${file}.mjs`));
  results.push(
    rows.map((row) => {
      const { prediction, risk, ...rest } = predict(Object.fromEntries(columns.map((name, i) => [name, row[i]])));
      const cells = [prediction, ...Object.values(rest)].map((v) => (v === null ? "" : String(v)));
      const risks = risk !== null && typeof risk === "object" ? Object.values(risk) : [risk];
      return [...cells, ...risks.map((v) => (v === null ? "" : v.toFixed(4)))];
    }),
  );
}
process.stdout.write(JSON.stringify(results));
