// Prints what exported ONNX models predict for the records of cases.json in onnxruntime, as JSON: the cells of each record, by case.
const { readFileSync } = require("node:fs");
const ort = require("onnxruntime-node");

const directory = process.argv[2];

async function main() {
  const results = [];
  for (const { file, columns, rows } of JSON.parse(readFileSync(`${directory}/cases.json`, "utf8"))) {
    const session = await ort.InferenceSession.create(`${directory}/${file}.onnx`, { logSeverityLevel: 3, intraOpNumThreads: 1 });
    const feeds = Object.create(null); // a column may be named __proto__
    for (const { name, type } of session.inputMetadata) {
      const values = rows.map((row) => row[columns.indexOf(name)]);
      feeds[name] =
        type === "string"
          ? new ort.Tensor("string", values.map((v) => v ?? ""), [rows.length, 1])
          : new ort.Tensor("float64", Float64Array.from(values, (v) => v ?? NaN), [rows.length, 1]);
    }
    const outputs = await session.run(feeds);
    const names = session.outputNames.filter((name) => name !== "inside" && name !== "risk");
    results.push(
      rows.map((_, i) => {
        const inside = outputs.inside.data[i];
        const cells = names.map((name) => (inside ? String(outputs[name].data[i]) : ""));
        const risk = outputs.risk;
        const width = risk ? risk.dims[1] : 0;
        for (let k = 0; k < width; k++) {
          const value = risk.data[i * width + k];
          cells.push(Number.isNaN(value) ? "" : value.toFixed(4));
        }
        return cells;
      }),
    );
  }
  process.stdout.write(JSON.stringify(results));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
