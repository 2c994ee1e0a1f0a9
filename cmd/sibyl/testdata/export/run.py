"""Prints what exported Python modules predict for the records of cases.json, as JSON: the cells of each record, by case.

A case whose file is a .json document is predicted by the module without a model of its own.
"""

import json
import pathlib
import sys

directory = pathlib.Path(sys.argv[1])


def load(name, document=None):
    text = (directory / name).read_text(encoding="utf-8")
    if document is not None:
        before, _, rest = text.partition("MODEL: Dict[str, Any] = ")
        text = before + "import json\nMODEL = json.loads(DOCUMENT)\n" + rest[rest.index("\n\n\ndef predict") :]
    names = {"__name__": name, "DOCUMENT": document}
    exec(compile(text, name, "exec"), names)
    return names["predict"]


results = []
for case in json.loads((directory / "cases.json").read_text(encoding="utf-8")):
    predictors = [load(case["file"] + ".py"), load(case["file"] + ".py", (directory / (case["file"] + ".json")).read_text(encoding="utf-8"))]
    rows = []
    for row in case["rows"]:
        record = dict(zip(case["columns"], row))
        found, other = (predict(record) for predict in predictors)
        if found != other:
            sys.exit(f"{case['file']}: {record}: {found} from the module, {other} from the JSON document")
        prediction, risk = found.pop("prediction"), found.pop("risk")
        cells = ["" if v is None else str(v) for v in [prediction, *found.values()]]
        risks = list(risk.values()) if isinstance(risk, dict) else [risk]
        rows.append(cells + ["" if v is None else f"{v:.4f}" for v in risks])
    results.append(rows)
sys.stdout.write(json.dumps(results))
