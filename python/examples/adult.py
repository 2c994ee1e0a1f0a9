# %% [markdown]
# # Income in a census, with differential privacy
#
# This example learns a scorecard and makes synthetic data from the Adult table of the UCI repository. Run it cell by
# cell in the directory with `adult.data` and `adult.test`, or as a whole: `python3 adult.py DATA OUTPUT`, where these
# are the directories of the data and of the new ledger.

# %%
import sys
from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from sibyl_dp import Account, SibylClassifier, SibylSynthesizer

directory, output = map(Path, sys.argv[1:3] if len(sys.argv) == 3 else (".", "."))
names = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
).split()


def read(file: str, skip: int = 0) -> pd.DataFrame:
    table = pd.read_csv(directory / file, names=names, skiprows=skip, skipinitialspace=True)
    return table.assign(income=table["income"].str.rstrip("."))


train, test = read("adult.data"), read("adult.test", skip=1)

# %% [markdown]
# ## The domain is public
#
# The cuts and categories come from the description of the census, and from nothing in the table. All other values are
# a category of their own.

# %%
columns = {
    "age": [26, 36, 46, 61],
    "education-num": [9, 10, 13, 14],
    "marital-status": ["Married-civ-spouse", "Never-married", "Divorced"],
    "relationship": ["Husband", "Wife", "Own-child", "Not-in-family", "Unmarried"],
    "sex": ["Female", "Male"],
    "capital-gain": [1, 5000],
    "hours-per-week": [35, 41, 51],
}
classes = ["<=50K", ">50K"]

# %% [markdown]
# ## The budget
#
# One ledger for all releases about these people. It refuses what exceeds ε = 2.

# %%
account = Account.open(output / "adult.db", epsilon=2, delta=1e-6, of="Adult")

# %% [markdown]
# ## What to expect, before the data is read

# %%
card = SibylClassifier(
    epsilon=0.5, account=account, columns=columns, classes=classes, hypothesis_class="scorecard"
)
for bound in card.plan(rows=len(train))["mechanisms"]:
    print(f"{bound['mechanism']}: {bound['mean_excess_fraction']:.2%} more errors than the best card")

# %% [markdown]
# ## The release

# %%
card.fit(train, train["income"])
print(card.show())
print(card.guarantee_)

# %% [markdown]
# The test table is about other people. Here it is public, so exact numbers may be printed.

# %%
print(f"accuracy {card.score(test, test['income']):.3f}")
print(f"AUC {roc_auc_score(test['income'] == '>50K', card.predict_proba(test)[:, 1]):.3f}")
print(card.to_sql(table="people")[:300])

# %% [markdown]
# ## Synthetic data
#
# The same account is charged. Numbers need a range, so that values within an interval can be written.

# %%
model = SibylSynthesizer(
    epsilon=1,
    delta=1e-7,
    account=account,
    pairwise=True,
    columns={
        "age": {"cuts": [26, 36, 46, 61], "draw": "integer", "least": 17, "most": 90},
        "sex": columns["sex"],
        "marital-status": columns["marital-status"],
        "income": classes,
    },
)
model.fit(train)
print(model.sample(5))
print(model.ask("age ≥ 61 and income = >50K", "sex = Female and income = >50K"))
print(account.remaining)
