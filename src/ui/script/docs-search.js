/* Narrows the reference while its reader types. Without this, the form asks the service, which finds the same. */
import { offerCopies } from './copy.js';

/** A search that finds so few operations shows them opened. */
const OPENED_MAX = 3;
const WORDS_MAX = 8;
/** What is searched of an operation: address, summary, need, description, fields and failures. */
const SEARCHED = 'summary, .prose > .hint, .prose > p, dt code';

const form = document.querySelector('form[role=search]');
const input = form.querySelector('input');
const said = form.querySelector('[data-found]');
let isWhole = form.hasAttribute('data-whole');
let entries;
let loading;

/** The page of a search holds what the service found, so the others are fetched once. */
async function loadWhole() {
  const answer = await fetch(form.action);
  if (!answer.ok) throw new Error(`the reference could not be read: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const docs = document.querySelector('.docs');
  docs.replaceChildren(...page.querySelector('.docs').children);
  offerCopies(docs);
  isWhole = true;
}

function listEntries() {
  return [...document.querySelectorAll('.operation')].map((element) => {
    const texts = [...element.querySelectorAll(SEARCHED)].map(({ textContent }) => textContent);
    return { element, text: texts.join('\n').replaceAll(/\s+/g, ' ').toLowerCase(), wasOpened: false };
  });
}

async function narrow() {
  if (!isWhole) {
    loading ??= loadWhole();
    await loading;
  }
  entries ??= listEntries();
  const asked = input.value.trim();
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
  const isSearch = words.length > 0;
  const found = entries.filter(({ text }) => words.every((word) => text.includes(word)));
  show(isSearch, new Set(found));
  said.textContent = isSearch
    ? `${found.length === 1 ? '1 operation' : `${found.length} operations`} with “${asked}”`
    : '';
  history.replaceState(null, '', isSearch ? `?search=${encodeURIComponent(asked)}` : location.pathname);
}

function show(isSearch, found) {
  const isOpened = isSearch && found.size <= OPENED_MAX;
  for (const entry of entries) {
    const { element } = entry;
    element.hidden = !found.has(entry);
    if (found.has(entry) && isOpened && !element.open) {
      element.open = true;
      entry.wasOpened = true;
    } else if (entry.wasOpened && !(isOpened && found.has(entry))) {
      element.open = false;
      entry.wasOpened = false;
    }
  }
  for (const part of document.querySelectorAll('[data-unsearched]')) part.hidden = isSearch;
  for (const section of document.querySelectorAll('section[data-tag]')) {
    const count = section.querySelectorAll('.operation:not([hidden])').length;
    const item = document.querySelector(`.contents a[href="#tag-${section.dataset.tag}"]`).parentElement;
    section.hidden = count === 0;
    item.hidden = count === 0;
    item.querySelector('span').textContent = String(count);
  }
}

/** Where the service does not answer, the button of the form tries again. */
input.addEventListener('input', () => {
  narrow().catch(() => {
    loading = undefined;
  });
});
