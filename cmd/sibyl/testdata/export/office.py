"""Enters the records of cases.json into workbooks, and prints the cells of their results, as LibreOffice computes them.

The arguments are the program and the directory of the workbooks."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import uno

office, directory = sys.argv[1:]
hidden = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
hidden.Name, hidden.Value = "Hidden", True


def connected(pipe):
    """Return the desktop of the program that listens at a pipe, as soon as it answers."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(600):
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except Exception:
            time.sleep(0.2)
    sys.exit("LibreOffice does not answer")


def text(cell, risk):
    if isinstance(cell, str):
        return cell
    return f"{cell:.4f}" if risk else f"{cell:.0f}"


def compute(desktop):
    """Return the results of all cases."""
    everything = []
    for case in json.loads(pathlib.Path(directory, "cases.json").read_text()):
        path = pathlib.Path(directory, case["file"] + ".xlsx").as_uri()
        document = desktop.loadComponentFromURL(path, "_blank", 0, (hidden,))
        sheet = document.Sheets.getByName("Calculator")
        last = sheet.createCursor()
        last.gotoEndOfUsedArea(False)
        lines = sheet.getCellRangeByName(f"A1:B{last.RangeAddress.EndRow + 1}").getDataArray()
        heads = [row for row, line in enumerate(lines) if line == ("Attribute", "Value")]  # none if the prediction is constant
        inputs = [None] * len(case["columns"])
        for at, names in enumerate(case["columns"] if heads else []):
            rows = [row for row, line in enumerate(lines) if row > heads[0] and line[0] in names and line[1] != "as above"]
            if rows:
                inputs[at] = sheet.getCellByPosition(1, rows[0])
        results = sheet.getCellRangeByName(case["results"])
        rows = []
        before = [None] * len(inputs)
        for row in case["rows"]:
            for cell, value, old in zip(inputs, row, before):
                if cell is None or value == old and type(value) is type(old):
                    continue
                if value is None:
                    cell.setFormula("")
                elif isinstance(value, str):
                    cell.setString(value)
                else:
                    cell.setValue(float(value))
            before = row
            cells = results.getDataArray()
            ends = [text(end, True) for row in cells[case["risks"] :] for end in row[1:]]
            rows.append([text(row[0], k >= case["risks"]) for k, row in enumerate(cells)] + ends)
        everything.append(rows)
        document.close(True)
    return everything


profile = pathlib.Path(directory, "profile").as_uri()
pipe = f"sibyl{os.getpid()}"
server = subprocess.Popen(
    [office, "--headless", "--norestore", "--nologo", f"-env:UserInstallation={profile}", f"--accept=pipe,name={pipe};urp;"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
)
try:
    json.dump(compute(connected(pipe)), sys.stdout)
finally:
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
