// The forms work without this script, which only makes them faster.
"use strict";
document.documentElement.classList.add("script");
const csrf = document.body.dataset.csrf;
const told = document.getElementById("told");
let quiet;

function tell(words) {
  told.textContent = words;
  clearTimeout(quiet);
  quiet = setTimeout(() => { told.textContent = ""; }, 8000);
}

// A visitor who is signed out is redirected, which is no answer. `effect`: of a failure.
async function request(url, effect, options = {}) {
  const headers = { accept: "application/json", "x-csrf-token": csrf };
  let response;
  try {
    response = await fetch(url, { ...options, headers });
  } catch {
    throw new Error(`The server does not answer; ${effect}. Try again when it runs.`);
  }
  if (response.redirected) throw new Error(`You are signed out; ${effect}. Sign in in another tab, then try again.`);
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error || answer.detail || `The server failed (${response.status}); ${effect}.`);
}

async function send(url, fields) {
  const body = fields instanceof Blob ? fields : new URLSearchParams(fields);
  return (await request(url, "this may not be saved", { method: "POST", body })).json();
}

// Drafts: restore what was typed after a reload or a crash, and in other tabs.
for (const form of document.querySelectorAll("form[data-draft]")) {
  const key = `draft:${form.dataset.draft}`;
  const typed = () => [...form.elements].filter((field) => field.name && !["hidden", "file", "submit", "button"].includes(field.type));
  const value = (field) => (["checkbox", "radio"].includes(field.type) ? field.checked : field.value);
  const save = () => localStorage.setItem(key, JSON.stringify(typed().map((field) => [field.name, field.value, value(field)])));
  const restore = () => {
    for (const [name, given, kept] of JSON.parse(localStorage.getItem(key) || "[]")) {
      for (const field of typed()) {
        if (field.name !== name) continue;
        if (typeof kept !== "boolean") field.value = kept;
        else if (field.value === given) field.checked = kept;
      }
    }
  };
  if (form.hasAttribute("data-fresh")) save(); else restore();
  addEventListener("input", (event) => { if (event.target.form === form) save(); }); // it may stand outside
  addEventListener("storage", (event) => { if (event.key === key) restore(); });
  form.addEventListener("submit", () => { if (form.dataset.draft === "new") localStorage.removeItem(key); });
}

// A query edited as text is sent as text: hide its boxes, which would have no effect.
for (const boxes of document.querySelectorAll(".query .boxes")) {
  const section = boxes.closest(".query");
  const shown = section.querySelector("[name^=shown-]").value;
  const text = section.querySelector("[name^=query-]");
  const back = section.querySelector("[data-boxes]");
  const look = () => {
    boxes.hidden = text.value.trim() !== shown.trim();
    back.hidden = !boxes.hidden;
    section.querySelector(".hits")?.toggleAttribute("hidden", boxes.hidden);
    for (const box of boxes.querySelectorAll("textarea")) box.disabled = boxes.hidden;
    if (boxes.hidden) text.closest("details").open = true;
  };
  back.addEventListener("click", () => {
    text.value = shown;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });
  text.form.addEventListener("input", look);
  addEventListener("storage", look); // after the draft of the other tab
  look();
}

// On a phone, the tab of this page may be out of sight.
const tab = document.querySelector(".tabs [aria-current]");
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;

// Read a text file into a field.
for (const input of document.querySelectorAll("input[data-into]")) {
  input.addEventListener("change", async () => {
    const field = document.getElementById(input.dataset.into);
    if (!input.files.length) return;
    const [file] = input.files;
    try {
      field.value = await file.text();
    } catch (error) { tell(`“${file.name}” cannot be read: ${error.message}`); }
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
}

// Import files of records.
const base64 = (file) => new Promise((done, fail) => {
  const reader = new FileReader();
  reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.onerror = () => fail(reader.error);
  reader.readAsDataURL(file);
});
document.getElementById("import")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form, submitter: button } = event;
  button.disabled = true; // a second click would begin a second thread
  addEventListener("pagehide", () => { button.disabled = false; }); // for who comes back
  const fields = ["question", "thread", "database", "searched", "strategy"].filter((name) => form[name]).map((name) => [name, form[name].value]);
  try {
    for (const file of form.files.files) fields.push(["name", file.name], ["content", await base64(file)]);
    location.assign((await send(form.action, fields)).to);
  } catch (error) { tell(error.message); button.disabled = false; }
});

// Attach a PDF that is dropped onto a work, or chosen for it.
const attach = async (work, files) => {
  const problem = work.querySelector(".problem");
  problem.hidden = true;
  try {
    if (files.length !== 1) throw new Error("Attach only one file to a work.");
    const [file] = files;
    const most = Number(work.dataset.most);
    if (file.size > most) throw new Error(`“${file.name}” has ${file.size.toLocaleString("en")} bytes; the page accepts at most ${most.toLocaleString("en")}. Use paper-search fulltext for larger files.`);
    tell(`Attaching “${file.name}”.`);
    await send(`${work.dataset.upload}&${new URLSearchParams({ name: file.name })}`, new Blob([file], { type: "application/octet-stream" }));
    location.reload();
  } catch (error) {
    tell("");
    problem.textContent = error.message;
    problem.hidden = false;
  }
};
if (document.querySelector("[data-upload]")) {
  addEventListener("dragover", (event) => event.preventDefault()); // a file beside a work would replace the page
  addEventListener("drop", (event) => {
    event.preventDefault();
    const work = event.target.closest?.("[data-upload]");
    if (work) attach(work, event.dataTransfer.files);
  });
  addEventListener("change", (event) => {
    const work = event.target.closest("[data-upload]");
    if (work && event.target.type === "file") attach(work, event.target.files);
  });
}

// Progress of a run.
const running = document.getElementById("running");
if (running) {
  const steps = [...running.querySelectorAll("[data-step]")];
  const show = (step) => {
    const now = steps.findIndex((item) => item.dataset.step === step);
    steps.forEach((item, place) => {
      item.classList.toggle("past", place < now);
      if (place === now) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
    });
    if (now >= 0 && told.dataset.step !== step) { told.dataset.step = step; tell(steps[now].textContent); }
  };
  const look = async () => {
    try {
      const response = await fetch(running.dataset.progress, { headers: { accept: "application/json" } });
      // The next page tells visitors who are signed out or may no longer see the thread.
      const answer = response.redirected || response.status < 500 && !response.ok ? {} : await response.json();
      if (!answer.is_running) { location.replace(running.dataset.then); return; }
      show(answer.step);
    } catch { tell("The server does not answer; waiting for it."); }
    setTimeout(look, 700);
  };
  look();
}

// Filter and page the list of papers without loading the page again.
const papers = document.getElementById("papers");
if (papers) {
  let latest = 0;
  const fragment = async (wanted, effect) => {
    wanted.set("fragment", "1");
    wanted.set("version", papers.dataset.version);
    return (await request(`?${wanted}`, effect)).text();
  };
  const load = async (query, keepsFocus, isStep = false) => {
    const turn = ++latest;
    const wanted = new URLSearchParams(query);
    for (const [name, value] of [...wanted]) if (!value) wanted.delete(name);
    if (isStep) history.pushState(null, "", `?${wanted}`); else history.replaceState(null, "", `?${wanted}`);
    let html;
    try {
      html = await fragment(wanted, "the papers below are those of before");
    } catch (error) {
      if (turn === latest) papers.querySelector(".found").textContent = error.message;
    }
    if (turn !== latest || html === undefined) return;
    const field = document.activeElement;
    const [name, from, to] = [field?.name, field?.selectionStart, field?.selectionEnd];
    const text = field?.value;
    const isOpen = papers.querySelector(".more")?.open;
    papers.innerHTML = html;
    if (!isOpen) fold();
    if (!keepsFocus) { papers.scrollIntoView(); papers.querySelector("h3 a, h3")?.focus?.(); return; }
    const again = name && papers.querySelector(`.filter [name="${name}"]`);
    if (again) {
      again.focus();
      if (again.type === "search" || again.type === "text") { again.value = text; again.setSelectionRange(from, to); }
    }
  };
  // After a mark, update the counts of the filter.
  const recount = async () => {
    const wanted = new URLSearchParams(new FormData(papers.querySelector(".filter")));
    const html = await fragment(wanted, "the decision is saved, the counts beside the list are those of before");
    const now = new DOMParser().parseFromString(html, "text/html");
    for (const field of papers.querySelectorAll(".filter select")) {
      const other = now.querySelector(`.filter select[name="${field.name}"]`);
      if (other && field !== document.activeElement) field.innerHTML = other.innerHTML;
    }
  };
  const fold = () => {
    if (matchMedia("(max-width: 52rem)").matches) papers.querySelector(".more")?.removeAttribute("open");
  };
  fold();
  const ask = () => load(new FormData(papers.querySelector(".filter")), true);
  papers.addEventListener("input", (event) => { if (event.target.form?.matches(".filter")) ask(); });
  papers.addEventListener("click", (event) => {
    const anchor = event.target.closest("a[data-path]");
    if (!anchor) return;
    event.preventDefault();
    load(new URL(anchor.href).searchParams, false, true);
  });
  addEventListener("popstate", () => load(location.search, true));
  papers.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches(".marks input")) return;
    event.preventDefault();
    event.target.closest("p").querySelector("button").click();
  });
  papers.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.matches(".filter")) { ask(); return; }
    const button = event.submitter;
    try {
      await send(form.action, [...new FormData(form), ["say", button.value]]);
      if (button.hasAttribute("data-whole") || form.closest(".paper").querySelector(".said")) { await load(location.search, true); return; }
      for (const other of form.querySelectorAll(".say button")) other.setAttribute("aria-pressed", String(other === button));
      form.closest(".paper").className = `paper ${button.dataset.state}`;
      await recount();
    } catch (error) { tell(error.message); }
  });
}

// Screening: one key, one save.
const screen = document.getElementById("screen");
if (screen) {
  let isBusy = false;
  const say = async (word, fields = {}) => {
    if (isBusy) { tell("Still saving the last decision; this key was not used."); return; }
    isBusy = true;
    const paper = screen.querySelector("[data-paper]")?.dataset.paper || "";
    const note = screen.querySelector("#note");
    try {
      if (word !== "note" && note && note.value !== note.defaultValue) {
        await send(screen.dataset.marks, { paper, say: "note", note: note.value });
        note.defaultValue = note.value;
      }
      const answer = await send(screen.dataset.marks, { paper, say: word, ...fields });
      const before = document.activeElement.id === "note" && word !== "note" ? document.activeElement.value : null;
      screen.innerHTML = answer.html;
      if (answer.told) tell(answer.told);
      const field = screen.querySelector("#note");
      if (before !== null && field) { field.value = before; field.focus(); return; }
      const title = screen.querySelector("h3");
      title.tabIndex = -1;
      title.focus({ preventScroll: true });
      scrollTo({ top: 0 });
    } catch (error) { tell(error.message); } finally { isBusy = false; }
  };
  screen.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    const typed = button?.hasAttribute("data-typed") ? screen.querySelector("#reason").value : "";
    const field = (name) => screen.querySelector(name)?.value ?? "";
    say(button?.value || "note", { note: field("#note"), label: field("#label"), reason: button?.dataset.reason ?? typed });
  });
  screen.addEventListener("keydown", (event) => {
    const { id, value } = event.target;
    if (!["note", "reason", "label"].includes(id)) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (id === "note") say("note", { note: value });
      else if (!value.trim()) return;
      else if (id === "label") say("label", { label: value });
      else say("irrelevant", { reason: value });
    }
    if (event.key === "Escape") event.target.blur();
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input, textarea, select")) return;
    const target = screen.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.matches("input")) target.focus(); else say(target.value, { reason: target.dataset.reason ?? "" });
  });
}

// A decision on a full text: a key is a click.
const assess = document.querySelector(".assess");
if (assess) addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input, textarea, select")) return;
  assess.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
});

// Texts to copy.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    text.select();
    try {
      await navigator.clipboard.writeText(text.value);
      tell("Copied.");
    } catch {
      tell("Press Ctrl-C to copy: the browser does not let the page do it.");
    }
  });
}
