"use strict";
// Pages work without this script. It checks the text of a schema while a person types, looks
// whether a release has ended, and sends the confirmation of a release once.
for (const text of document.querySelectorAll("textarea[data-check]")) {
  const state = document.getElementById(text.getAttribute("aria-describedby"));
  const form = text.form;
  let waiting = 0;
  text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const body = new URLSearchParams({ csrf: form.elements.csrf.value, text: text.value });
      try {
        const answer = await fetch(text.dataset.check, { method: "POST", body, redirect: "error" });
        state.textContent = answer.ok ? await answer.text() : "The text could not be checked.";
      } catch {
        state.textContent = "The server does not answer.";
      }
    }, 400);
  });
}
const job = document.querySelector("[data-job]");
if (job) {
  const look = async () => {
    try {
      const answer = await fetch(job.dataset.job, { redirect: "error" });
      if (!answer.ok || (await answer.text()) === "ended") {
        location.reload();
        return;
      }
    } catch {
      return;
    }
    setTimeout(look, 2000);
  };
  setTimeout(look, 1000);
}
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // the back button shows what is true now
});
for (const button of document.querySelectorAll("form[data-once] button")) {
  button.form.addEventListener("submit", () => setTimeout(() => (button.disabled = true), 0));
}
