"use strict";
// Pages work without this script. It checks the text of a schema while a person types, plans while a
// slider moves and then shows an example, looks whether a release has ended, and sends the confirmation of a release once.
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
for (const form of document.querySelectorAll("form[data-live]")) {
  let waiting = 0;
  let stop = new AbortController();
  const load = async (address, signal) => {
    const answer = await fetch(address, { redirect: "error", signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return (id) => [...(page.querySelector(answer.ok ? "#" + id : ".error")?.childNodes ?? [])];
  };
  const plan = async () => {
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    const asked = new URLSearchParams(new FormData(form));
    asked.delete("epsilon"); // of the table, which the button computes
    const [live, example] = form.dataset.live.split(" ").map((id) => document.getElementById(id));
    try {
      const parts = await load(form.action + "?" + asked, signal);
      live.replaceChildren(...parts(live.id));
      example.replaceChildren(...parts(example.id));
      const link = example.querySelector("a[data-follow]");
      if (!link) return;
      await new Promise((resolve) => setTimeout(resolve, 600)); // the slider may still move
      if (!signal.aborted) example.replaceChildren(...(await load(link.href, signal))(example.id));
    } catch (error) {
      if (error.name !== "AbortError") live.textContent = "The server does not answer.";
    }
  };
  form.addEventListener("input", (event) => {
    const shown = document.getElementById(event.target.id + "-value");
    if (shown) shown.textContent = event.target.value;
    clearTimeout(waiting);
    if (form.checkValidity()) waiting = setTimeout(plan, 150);
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
