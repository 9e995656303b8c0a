/* Narrows the reference while its reader types. Without this, the form asks the service, which finds the same. */
import { offerCopies } from './copy.js';

const TYPING_MS = 200;

const form = document.querySelector('form[role=search]');
const input = form.querySelector('input');
const said = form.querySelector('[data-found]');
let asked = null;
let typing = 0;

async function narrow() {
  asked?.abort();
  asked = new AbortController();
  const search = input.value.trim();
  const address = search === '' ? location.pathname : `?search=${encodeURIComponent(search)}`;
  const answer = await fetch(address, { signal: asked.signal });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const docs = document.querySelector('[data-found-here]');
  docs.replaceChildren(...page.querySelector('[data-found-here]').children);
  said.textContent = page.querySelector('[data-found]').textContent;
  offerCopies(docs);
  history.replaceState(null, '', address);
}

input.addEventListener('input', () => {
  clearTimeout(typing);
  // Where the service does not answer, the button of the form tries again.
  typing = setTimeout(() => void narrow().catch(() => undefined), TYPING_MS);
});
