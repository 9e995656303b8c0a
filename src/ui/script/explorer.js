/*
 * The explorer of results without loading the page: links and the form of the explorer ask for its part alone, the
 * address keeps the view, long tables show only the rows around those in sight, "j" and "k" move between rows, and small
 * pictures are drawn from one file. Without this script links, the form and pages do the same.
 */
const TYPING_MS = 250;
/** At most these pages of rows stand in the document at once. */
const PAGES_MAX = 3;
const VIEW_KEYS = 'search outcome grade class flag control binders sort columns offset'.split(' ');
const PICTURE = { width: 320, height: 150, edge: 6 };
const SVG = 'http://www.w3.org/2000/svg';

const main = document.getElementById('content');
let shown = null;
let asked = null;
let table = null;

/* Asking for another view */

const readPart = async (address, signal) => {
  const answer = await fetch(address, { headers: { accept: 'text/html' }, signal });
  const part = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('explorer');
  if (!answer.ok || part === null) throw new Error('no explorer');
  for (const picture of part.querySelectorAll('noscript')) picture.remove();
  return part;
};

/** The view that the address of the page asks for. */
const readQuery = (search) => {
  const query = new URLSearchParams();
  for (const [key, value] of new URLSearchParams(search))
    if (VIEW_KEYS.includes(key)) query.append(key, value);
  return query.toString();
};

async function show(query) {
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  shown.setAttribute('aria-busy', 'true');
  try {
    replace(await readPart(`${shown.dataset.part}?${query}`, signal));
  } catch {
    // Signed out, or no connection: the page itself says so.
    if (!signal.aborted) location.reload();
  }
}

/** What had the focus, what was typed and what was folded open stay as they are. */
function replace(part) {
  const { activeElement: focused } = document;
  const name = shown.contains(focused) ? focused.id : '';
  const open = new Set([...shown.querySelectorAll('details[open]')].map(({ id }) => id));
  const typed = focused?.matches('#filter-search') === true ? [focused.value, focused.selectionStart] : null;
  const next = document.importNode(part, true);
  shown.replaceWith(next);
  begin(next);
  for (const fold of next.querySelectorAll('details')) fold.open = open.has(fold.id);
  const same = name === '' ? null : document.getElementById(name);
  if (same !== null) same.focus({ preventScroll: true });
  else if (name !== '') next.querySelector('.scroll')?.focus({ preventScroll: true });
  if (typed === null || same === null) return;
  same.value = typed[0];
  same.setSelectionRange(typed[1], typed[1]);
}

function go(search, isTyping = false) {
  const query = readQuery(search);
  const address = `${location.pathname}${query === '' ? '' : `?${query}`}`;
  if (isTyping) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  void show(query);
}

function sendForm(form, isTyping = false) {
  const query = new URLSearchParams();
  const columns = [...form.querySelectorAll('[name=columns]:checked')].map(({ value }) => value);
  for (const [key, value] of new FormData(form)) if (key !== 'columns' && value !== '') query.set(key, value);
  // The usual columns need no place in the address.
  const isUsual = [...form.querySelectorAll('[name=columns]')].every(
    (box) => box.checked === 'usual' in box.dataset,
  );
  if (!isUsual && columns.length > 0) query.set('columns', columns.join(','));
  go(query.toString(), isTyping);
}

let typing = 0;
main.addEventListener('input', ({ target }) => {
  if (!target.matches('#filter-search')) return;
  clearTimeout(typing);
  typing = setTimeout(() => sendForm(target.form, true), TYPING_MS);
});
main.addEventListener('change', ({ target }) => {
  if (target.form?.id === 'explorer-form' && !target.matches('#filter-search')) sendForm(target.form);
});
main.addEventListener('submit', (event) => {
  if (event.target.id !== 'explorer-form') return;
  event.preventDefault();
  clearTimeout(typing);
  sendForm(event.target);
});
main.addEventListener('click', (event) => {
  const link = event.target.closest('#explorer .explorer a[href]');
  if (link === null || link.pathname !== location.pathname || link.hasAttribute('download')) return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.search);
});
addEventListener('popstate', () => {
  if (shown !== null) void show(readQuery(location.search));
});

/* Rows around those in sight */

function createTable(explorer) {
  const { total, size, offset } = explorer.dataset;
  const scroll = explorer.querySelector('.scroll');
  const body = scroll?.querySelector('tbody');
  if (!body || Number(total) <= Number(size)) return null;
  const own = {
    total: Number(total),
    size: Number(size),
    pages: new Map(),
    asking: new Set(),
    first: 0,
    last: 0,
    scroll,
    body,
    before: createGap(),
    after: createGap(),
  };
  explorer.classList.add('long');
  keepWidths(scroll.querySelector('table'));
  body.before(own.before);
  body.after(own.after);
  own.first = own.last = Math.floor(Number(offset) / own.size);
  const page = takeRows([...body.rows], own.first * own.size);
  page.height = body.offsetHeight;
  own.pages.set(own.first, page);
  scroll.querySelector('table').setAttribute('aria-rowcount', String(own.total + 1));
  place(own);
  scroll.scrollTop = own.first === 0 ? 0 : computeTop(own, own.first);
  let isPlanned = false;
  scroll.addEventListener(
    'scroll',
    () => {
      if (isPlanned) return;
      isPlanned = true;
      requestAnimationFrame(() => {
        isPlanned = false;
        void arrange(own);
      });
    },
    { passive: true },
  );
  void arrange(own);
  return own;
}

function createGap() {
  const gap = document.createElement('tbody');
  gap.className = 'gap';
  gap.setAttribute('aria-hidden', 'true');
  gap.insertRow().insertCell().colSpan = 99;
  return gap;
}

/** Columns that changed their widths with the rows would jump. */
function keepWidths(whole) {
  const heads = [...whole.tHead.rows[0].cells];
  const widths = heads.map((head) => head.getBoundingClientRect().width);
  const sum = widths.reduce((all, width) => all + width, 0);
  heads.forEach((head, index) => {
    head.style.width = `${widths[index]}px`;
  });
  whole.style.minWidth = `${sum}px`;
  whole.style.tableLayout = 'fixed';
}

function takeRows(rows, offset) {
  rows.forEach((row, index) => row.setAttribute('aria-rowindex', String(offset + index + 2)));
  return { rows, height: 0 };
}

const countPages = (own) => Math.ceil(own.total / own.size);
const guessHeight = (own) => {
  const known = [...own.pages].filter(([index, { height }]) => height > 0 && index < countPages(own) - 1);
  const [, any] = [...own.pages][0];
  if (known.length === 0) return (any.height / any.rows.length) * own.size;
  return known.reduce((sum, [, { height }]) => sum + height, 0) / known.length;
};

function getHeight(own, index) {
  const height = own.pages.get(index)?.height ?? 0;
  if (height > 0) return height;
  const rows = Math.min(own.size, own.total - index * own.size);
  return (guessHeight(own) * rows) / own.size;
}

function computeTop(own, index) {
  let top = 0;
  for (let at = 0; at < index; at += 1) top += getHeight(own, at);
  return top;
}

function place(own) {
  const sum = (from, to) => computeTop(own, to) - computeTop(own, from);
  own.before.rows[0].cells[0].style.height = `${sum(0, own.first)}px`;
  own.after.rows[0].cells[0].style.height = `${sum(own.last + 1, countPages(own))}px`;
  own.before.hidden = own.first === 0;
  own.after.hidden = own.last === countPages(own) - 1;
}

function findPage(own, top) {
  let at = 0;
  let end = getHeight(own, 0);
  while (end <= top && at < countPages(own) - 1) {
    at += 1;
    end += getHeight(own, at);
  }
  return at;
}

/** Shows the pages around what is in sight, and asks for those that are missing. */
async function arrange(own) {
  if (own !== table && table !== null) return;
  const { scrollTop, clientHeight } = own.scroll;
  const room = clientHeight;
  const from = findPage(own, Math.max(0, scrollTop - room));
  const to = Math.min(findPage(own, scrollTop + clientHeight + room), from + PAGES_MAX - 1);
  const wanted = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const present = wanted.filter((index) => own.pages.has(index));
  const missing = wanted.filter((index) => !own.pages.has(index));
  const [first] = present;
  if (first !== undefined) {
    let last = first;
    while (present.includes(last + 1)) last += 1;
    if (first !== own.first || last !== own.last) swap(own, first, last);
  }
  await Promise.all(missing.map((index) => load(own, index)));
}

function swap(own, first, last) {
  const hadFocus = own.body.contains(document.activeElement);
  const rows = [];
  for (let index = first; index <= last; index += 1) rows.push(...own.pages.get(index).rows);
  const kept = new Set(rows);
  const gone = [...own.body.rows].filter((row) => !kept.has(row));
  for (const row of gone) row.remove();
  let at = own.body.rows[0] ?? null;
  for (const row of rows) {
    if (row === at) at = at.nextElementSibling;
    else own.body.insertBefore(row, at);
  }
  [own.first, own.last] = [first, last];
  if (hadFocus && !own.body.contains(document.activeElement)) own.scroll.focus({ preventScroll: true });
  place(own);
  // What was guessed is known now; the rows in sight stay where they are by the browser's own anchoring.
  for (let index = first; index <= last; index += 1) {
    const page = own.pages.get(index);
    const end = page.rows.at(-1).getBoundingClientRect().bottom;
    page.height = end - page.rows[0].getBoundingClientRect().top;
  }
  place(own);
}

async function load(own, index) {
  if (own.asking.has(index)) return;
  own.asking.add(index);
  try {
    const query = new URLSearchParams(readQuery(location.search));
    query.set('offset', String(index * own.size));
    const part = await readPart(`${shown.dataset.part}?${query}`, AbortSignal.timeout(20_000));
    const rows = [...part.querySelectorAll('tbody tr')].map((row) => document.importNode(row, true));
    if (rows.length > 0) own.pages.set(index, takeRows(rows, index * own.size));
  } catch {
    // The next scrolling asks again.
  } finally {
    own.asking.delete(index);
  }
  if (own === table && own.pages.has(index)) await arrange(own);
}

/* Keys: they act while the focus is in the explorer, so that nobody meets them by accident. */

const isTyped = (target) => target.closest('input, select, textarea, summary') !== null;

main.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (shown === null || !shown.contains(target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === 'Escape' && target.matches('#filter-search')) shown.querySelector('.scroll')?.focus();
  if (isTyped(target)) return;
  if (key === '/') {
    event.preventDefault();
    shown.querySelector('#filter-search')?.focus();
  } else if (key === 'j' || key === 'k') {
    event.preventDefault();
    move(key === 'j' ? 1 : -1);
  }
});

/** The rows in the order in which they stand; the names are the links that Enter opens. */
function move(by) {
  const rows = [...shown.querySelectorAll('table.ranked > tbody:not(.gap) > tr')];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const top = shown.querySelector('.scroll').getBoundingClientRect().top;
  const inSight = rows.findIndex((row) => row.getBoundingClientRect().bottom > top + 60);
  const row = current === -1 ? rows[Math.max(0, inSight)] : rows[current + by];
  if (row === undefined) return;
  row.querySelector('th a').focus({ preventScroll: true });
  row.scrollIntoView({ block: 'nearest' });
}

/* Small pictures */

let pictures = { address: '', file: null };

/** One file has the pictures of the whole experiment. */
async function readPictures(address) {
  if (pictures.address !== address)
    pictures = {
      address,
      file: fetch(address)
        .then((answer) => (answer.ok ? answer.json() : { items: [] }))
        .then(({ items }) => new Map(items.map((item) => [item.result_id, item])))
        .catch(() => new Map()),
    };
  return pictures.file;
}

const create = (name, attributes, parent) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
};

/** Draws those that come near to what is in sight; what is folded is not. */
async function drawPictures(explorer) {
  const plots = [...explorer.querySelectorAll('svg[data-result]')];
  if (plots.length === 0) return;
  const items = await readPictures(explorer.dataset.thumbnails);
  const own = plots
    .map((plot) => items.get(plot.dataset.result))
    .filter((item) => item?.kind === 'sensorgram');
  const [low, high] = own.reduce(
    ([a, b], item) => [Math.min(a, item.low), Math.max(b, item.high)],
    [0, 1e-9],
  );
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        draw(target, items.get(target.dataset.result), low, high);
      }
    },
    { rootMargin: '300px' },
  );
  for (const plot of plots) observer.observe(plot);
}

function draw(plot, item, low, high) {
  const { width, height, edge } = PICTURE;
  if (item === undefined || item.kind === null) {
    create('text', { x: width / 2, y: height / 2, 'text-anchor': 'middle' }, plot).textContent = 'no curves';
    return;
  }
  const [least, most] = item.kind === 'sensorgram' ? [low, high] : [item.low, item.high];
  const toY = (value) => {
    const signal = item.low + (value / 255) * (item.high - item.low);
    return height - edge - ((signal - least) / (most - least || 1)) * (height - 2 * edge);
  };
  const zero = 0 - (item.low / (item.high - item.low || 1)) * 255;
  if (item.kind === 'sensorgram')
    create('path', { class: 'zero', d: `M${edge} ${toY(zero).toFixed(1)}H${width - edge}` }, plot);
  item.curves.forEach(({ values }, index) => {
    const step = (width - 2 * edge) / (values.length - 1);
    let path = '';
    let isOpen = false;
    values.forEach((value, point) => {
      if (value !== null)
        path += `${isOpen ? 'L' : 'M'}${(edge + point * step).toFixed(1)} ${toY(value).toFixed(1)}`;
      isOpen = value !== null;
    });
    const share = item.curves.length === 1 ? 1 : index / (item.curves.length - 1);
    const line = create('path', { class: 'line', d: path }, plot);
    line.style.strokeOpacity = String(0.35 + 0.65 * share);
  });
  create('text', { x: width - edge, y: 16, 'text-anchor': 'end' }, plot).textContent =
    item.kind === 'melt'
      ? `${Math.round(item.start)}–${Math.round(item.end)} °C`
      : `${Number(most.toPrecision(2))} ${item.signal_unit}`;
}

/* Beginning, and beginning anew where the page was read again */

function begin(explorer) {
  shown = explorer;
  table = null;
  shown.classList.add('scripted');
  table = createTable(explorer);
  fit();
  void drawPictures(explorer);
}

/** A table that fits lets the page scroll, and its heads stay in sight; a wider one scrolls sideways in itself. */
function fit() {
  const scroll = shown?.querySelector('.explorer .scroll');
  if (!scroll || table !== null) return;
  shown.classList.remove('fits');
  shown.classList.toggle('fits', scroll.scrollWidth <= scroll.clientWidth);
}
addEventListener('resize', fit);

let version = '';
function look() {
  const explorer = document.getElementById('explorer');
  const { version: next = '' } = document.getElementById('explorer-version')?.dataset ?? {};
  if (explorer === null) return;
  if (explorer !== shown) begin(explorer);
  else if (next !== version && version !== '') void show(readQuery(location.search));
  version = next;
}
look();
// The page replaces what has changed; new results tell so by their version.
new MutationObserver(look).observe(main, {
  childList: true,
  subtree: true,
  attributes: true,
  attributeFilter: ['data-version'],
});
