/*
 * Curves whose values are read under the pointer or by a slider, enlarged, and shown one by one. Without this script the
 * figure and the CSV have them.
 */
import { create, drawPanels, findNearest, formatValue, PAD } from './curve-plot.js';
import { addSlider, drawPlate, listPlates } from './plate-wells.js';

const HEIGHTS = { main: 280, part: 76 };
const WIDTH_LEAST = 240;
const COLORS = 6;
const STEPS = 1000;
/** A movement of this many units of the drawing is no click. */
const DRAG_MIN = 6;
/** Nothing is enlarged beyond this fraction of the whole. */
const LEAST_SPAN = 0.002;

const AXES = {
  sensorgram: { x: 'time_s', unit: 's' },
  capture: { x: 'time_s', unit: 's' },
  melt: { x: 'temperature_c', unit: '°C' },
};

/** What is drawn beside the signal: in the panel of the signal, or in one of its own. */
const PARTS = [
  { key: 'fit', name: 'Fit', isOn: true, has: ({ fit }) => Array.isArray(fit) },
  { key: 'residual', name: 'Residuals', isOn: true, has: ({ residual }) => Array.isArray(residual) },
  {
    key: 'derivative',
    name: 'Derivative',
    isOn: true,
    has: (curve) => Array.isArray(curve.derivative_per_c),
  },
  {
    key: 'baselines',
    name: 'Baselines',
    isOn: false,
    has: ({ kind, fit }) => kind === 'melt' && Array.isArray(fit),
  },
  { key: 'scattering', name: 'Scattering', isOn: false, has: ({ scattering }) => Array.isArray(scattering) },
  { key: 'out', name: 'Left out', isOn: true, has: ({ excluded }) => excluded === true },
];

function formatDose(molar) {
  const units = [
    [1e-6, 'µM'],
    [1e-9, 'nM'],
    [1e-12, 'pM'],
  ];
  const [size, unit] = units.find(([least]) => molar >= least * 0.9995) ?? units[2];
  return `${Number((molar / size).toPrecision(3))} ${unit}`;
}

function nameCurve(curve) {
  const dose = typeof curve.concentration_m === 'number' ? ` at ${formatDose(curve.concentration_m)}` : '';
  const place = [curve.plate, curve.well].filter((part) => typeof part === 'string').join(' ');
  const well = place === '' ? '' : `, ${place}`;
  const channel = curve.kind === 'melt' ? `, ${curve.channel}` : '';
  const state = curve.excluded === true ? ', left out' : '';
  return `Replicate ${curve.replicate ?? '–'}${dose}${well}${channel}${state}`;
}

const listUnique = (values) => [...new Set(values)];

/** Prepares the curves: a color for each dose, a dash for each replicate; a single dose leaves the colors to replicates. */
function readCurves(answer) {
  const curves = answer.curves.filter((curve) => curve.kind in AXES && curve[AXES[curve.kind].x].length > 0);
  const doses = listUnique(curves.map((curve) => curve.concentration_m ?? null)).toSorted((a, b) => a - b);
  const replicates = listUnique(curves.map(({ replicate }) => replicate)).toSorted((a, b) => a - b);
  const read = curves.map((curve) => {
    const dose = doses.indexOf(curve.concentration_m ?? null);
    const replicate = replicates.indexOf(curve.replicate);
    const color = doses.length > 1 ? dose : replicate;
    const dash = doses.length > 1 ? replicate % 3 : 0;
    return {
      curve,
      xs: curve[AXES[curve.kind].x],
      name: nameCurve(curve),
      dose,
      replicate,
      look: `reader-line color-${color % COLORS} dash-${dash}${curve.excluded === true ? ' out' : ''}`,
    };
  });
  return { read, doses, replicates };
}

/** A line through the first or the last part of a fit, extended over all of it: what the fit takes for a baseline. */
function extendEnd(xs, ys, end) {
  const known = ys.flatMap((y, index) => (Number.isFinite(y) ? [index] : []));
  const count = Math.max(2, Math.round(0.08 * known.length));
  const part = end === 'first' ? known.slice(0, count) : known.slice(-count);
  const [from, to] = [part[0], part.at(-1)];
  if (from === undefined || from === to) return null;
  const slope = (ys[to] - ys[from]) / (xs[to] - xs[from]);
  const ends = [xs[0], xs.at(-1)];
  return {
    xs: ends,
    ys: ends.map((x) => ys[from] + slope * (x - xs[from])),
    look: 'reader-base',
    isGuide: true,
  };
}

function listPanels(shown, isOn, unit) {
  const marks = listUnique(
    shown.flatMap(({ curve }) =>
      curve.kind === 'sensorgram'
        ? [curve.association_start_s, curve.dissociation_start_s]
        : (curve.tm_c ?? []),
    ),
  );
  const list = (key) =>
    shown.flatMap(({ curve, xs, look }, index) =>
      Array.isArray(curve[key]) ? [{ xs, ys: curve[key], look, index }] : [],
    );
  const fits = shown.flatMap(({ curve, xs }) =>
    isOn.fit && Array.isArray(curve.fit) ? [{ xs, ys: curve.fit, look: 'reader-fit' }] : [],
  );
  const bases = shown.flatMap(({ curve, xs }) =>
    isOn.baselines && Array.isArray(curve.fit)
      ? ['first', 'last'].flatMap((end) => extendEnd(xs, curve.fit, end) ?? [])
      : [],
  );
  const scattering = shown.flatMap(({ curve, look }) =>
    Array.isArray(curve.scattering)
      ? [{ xs: curve.scattering_temperature_c ?? curve.temperature_c, ys: curve.scattering, look }]
      : [],
  );
  const panel = (key, name, lines) => ({ key, name, lines, marks, height: HEIGHTS.part });
  return [
    { ...panel('signal', `Signal (${unit})`, [...list('signal'), ...fits, ...bases]), height: HEIGHTS.main },
    ...(isOn.residual ? [panel('residual', 'Residuals', list('residual'))] : []),
    ...(isOn.derivative ? [panel('derivative', 'Derivative (per °C)', list('derivative_per_c'))] : []),
    ...(isOn.scattering ? [panel('scattering', 'Scattering', scattering)] : []),
  ].filter(({ key, lines }) => key === 'signal' || lines.length > 0);
}

/** What is shown stands in the address, so that a copied address shows the same. */
function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const [from, to] = ['from', 'to'].map((name) => Number.parseFloat(parameters.get(name) ?? ''));
  return {
    changed: new Set((parameters.get('switch') ?? '').split(' ').filter(Boolean)),
    range: from < to ? { from, to } : null,
  };
}

function writeAddress(state, whole) {
  const parameters = new URLSearchParams();
  if (state.changed.size > 0) parameters.set('switch', [...state.changed].join(' '));
  if (state.range.from !== whole.from || state.range.to !== whole.to) {
    parameters.set('from', String(Number(state.range.from.toPrecision(5))));
    parameters.set('to', String(Number(state.range.to.toPrecision(5))));
  }
  const text = parameters.toString();
  history.replaceState(history.state, '', text === '' ? location.pathname + location.search : `#${text}`);
}

/** A group of switches; each knows whether it is as it was. */
function addSwitches(bar, legend, switches, state, onChange) {
  if (switches.length === 0) return;
  const group = document.createElement('fieldset');
  group.className = 'choices';
  const title = document.createElement('legend');
  title.textContent = legend;
  group.append(title);
  for (const { key, name, isOn, swatch } of switches) {
    const label = document.createElement('label');
    label.className = 'choice';
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = isOn !== state.changed.has(key);
    box.addEventListener('change', () => {
      if (box.checked === isOn) state.changed.delete(key);
      else state.changed.add(key);
      onChange();
    });
    label.append(box, ...(swatch === undefined ? [] : [createSwatch(swatch)]), name);
    group.append(label);
  }
  bar.append(group);
}

function createSwatch(look) {
  const swatch = create('svg', { viewBox: '0 0 18 12', class: 'reader-swatch', 'aria-hidden': 'true' });
  create('line', { x1: 0, x2: 18, y1: 6, y2: 6, class: look }, swatch);
  return swatch;
}

function addButton(bar, name, act) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'quiet', textContent: name });
  button.addEventListener('click', act);
  bar.append(button);
  return button;
}

/** The values of each shown curve at the cursor. */
function createTable(parts) {
  const table = document.createElement('table');
  const columns = [
    { name: 'Signal', key: 'signal' },
    ...(parts.includes('fit') ? [{ name: 'Fit', key: 'fit' }] : []),
    ...(parts.includes('residual') ? [{ name: 'Residual', key: 'residual' }] : []),
    ...(parts.includes('derivative') ? [{ name: 'Derivative', key: 'derivative_per_c' }] : []),
  ];
  const head = table.createTHead().insertRow();
  for (const [index, name] of ['Curve', ...columns.map(({ name: title }) => title)].entries()) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    if (index > 0) cell.className = 'number';
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  const scroll = document.createElement('div');
  Object.assign(scroll, { className: 'scroll', tabIndex: 0 });
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', 'Values at the cursor');
  scroll.append(table);
  let rows = [];
  return {
    scroll,
    list(shown) {
      body.replaceChildren();
      rows = shown.map(({ name, look }) => {
        const row = body.insertRow();
        const title = document.createElement('th');
        title.scope = 'row';
        title.append(createSwatch(look), ` ${name}`);
        row.append(title);
        const cells = columns.map(() => row.insertCell());
        for (const cell of cells) cell.className = 'number';
        return { row, cells };
      });
    },
    write(shown, points, nearest, unit) {
      rows.forEach(({ row, cells }, index) => {
        const { curve } = shown[index];
        columns.forEach(({ key }, at) => {
          const text = formatValue(curve[key]?.[points[index]] ?? NaN);
          cells[at].textContent = key === 'signal' ? `${text} ${unit}` : text;
        });
        row.classList.toggle('near', index === nearest);
      });
    },
  };
}

function draw(card, answer) {
  const { read, doses, replicates } = readCurves(answer);
  if (read.length === 0) return false;
  const { unit } = AXES[read[0].curve.kind];
  const whole = {
    from: Math.min(...read.map(({ xs }) => xs[0])),
    to: Math.max(...read.map(({ xs }) => xs.at(-1))),
  };
  const address = readAddress();
  const state = {
    changed: address.changed,
    range: address.range === null ? whole : clampRange(address.range, whole),
    at: (whole.from + whole.to) / 2,
    level: undefined,
  };
  const parts = PARTS.filter(({ has }) => read.some(({ curve }) => has(curve)));
  const isOn = (key, usual = true) => usual !== state.changed.has(key);
  const listShown = () =>
    read.filter(
      ({ replicate, dose, curve }) =>
        isOn(`r${replicate}`) && isOn(`d${dose}`) && (curve.excluded !== true || isOn('out')),
    );

  const bar = document.createElement('div');
  bar.className = 'reader-bar';
  const picture = create('svg', { class: 'reader-plot', 'aria-hidden': 'true' });
  const table = createTable(parts.map(({ key }) => key));
  card.append(bar, picture);
  const slider = addSlider(card, STEPS, (value) => {
    state.level = undefined;
    readAt(state.range.from + (value / STEPS) * (state.range.to - state.range.from));
  });
  card.append(table.scroll);
  let [shown, drawn] = [[], null];

  function render() {
    shown = listShown();
    const switches = Object.fromEntries(parts.map(({ key, isOn: usual }) => [key, isOn(key, usual)]));
    const panels = listPanels(shown, switches, answer.signal_unit);
    // As wide as its place, so that its letters have one size everywhere.
    const width = Math.max(WIDTH_LEAST, Math.floor(bar.clientWidth));
    drawn = drawPanels(picture, panels, { width, range: state.range, unit });
    reset.disabled = state.range.from === whole.from && state.range.to === whole.to;
    table.list(shown);
    readAt(state.at);
  }
  function change() {
    render();
    writeAddress(state, whole);
  }
  function setRange(range) {
    state.range = clampRange(range, whole);
    change();
  }
  /** Keeps the cursor where it is. */
  function zoom(factor) {
    const span = (state.range.to - state.range.from) * factor;
    const share = (state.at - state.range.from) / (state.range.to - state.range.from);
    setRange({ from: state.at - share * span, to: state.at + (1 - share) * span });
  }
  function readAt(x) {
    const { from, to } = state.range;
    state.at = Math.max(from, Math.min(to, x));
    drawn.cursor.setAttribute('x1', drawn.toX(state.at));
    drawn.cursor.setAttribute('x2', drawn.toX(state.at));
    const points = shown.map(({ xs }) => findNearest(xs, state.at));
    const [signal] = drawn.panels;
    const nearest =
      state.level === undefined
        ? -1
        : findNearestCurve(shown, points, (y) => Math.abs(signal.toY(y) - state.level));
    for (const { lines } of drawn.panels)
      for (const { element, index } of lines)
        element.classList.toggle('near', index === nearest && index !== undefined);
    const where = `At ${formatValue(state.at)} ${unit}`;
    slider.write(
      Math.round(((state.at - from) / (to - from || 1)) * STEPS),
      nearest === -1 ? where : `${where}: ${describe(shown[nearest], points[nearest], answer.signal_unit)}`,
    );
    table.write(shown, points, nearest, answer.signal_unit);
  }

  addSwitches(bar, 'Show', parts, state, change);
  const byDose = doses.length > 1;
  if (replicates.length > 1)
    addSwitches(
      bar,
      'Replicates',
      listSwitches('r', replicates.map(String), byDose ? 'dash' : 'color'),
      state,
      change,
    );
  if (byDose)
    addSwitches(
      bar,
      'Doses',
      listSwitches(
        'd',
        doses.map((dose) => (dose === null ? 'unknown' : formatDose(dose))),
        'color',
      ),
      state,
      change,
    );
  const buttons = document.createElement('div');
  buttons.className = 'reader-zoom';
  bar.append(buttons);
  addButton(buttons, 'Zoom in', () => zoom(0.5));
  addButton(buttons, 'Zoom out', () => zoom(2));
  const reset = addButton(buttons, 'Whole range', () => setRange(whole));
  followPointer(picture, { state, readAt, setRange, whole, getDrawn: () => drawn });
  card.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else if (event.key === '0') setRange(whole);
    else return;
    event.preventDefault();
  });
  render();
  new ResizeObserver(() => {
    if (Math.floor(bar.clientWidth) !== drawn.width) render();
  }).observe(bar);
  return true;
}

const listSwitches = (letter, names, swatch) =>
  names.map((name, index) => ({
    key: `${letter}${index}`,
    name,
    isOn: true,
    swatch: swatch === 'dash' ? `reader-line dash-${index % 3}` : `reader-line color-${index % COLORS}`,
  }));

function clampRange({ from, to }, whole) {
  const all = whole.to - whole.from;
  const span = Math.max(LEAST_SPAN * all, Math.min(all, to - from));
  const start = Math.max(whole.from, Math.min(whole.to - span, from));
  return { from: start, to: start + span };
}

function findNearestCurve(shown, points, computeDistance) {
  let [nearest, least] = [-1, Infinity];
  shown.forEach(({ curve }, index) => {
    const distance = computeDistance(curve.signal[points[index]]);
    if (distance < least) [nearest, least] = [index, distance];
  });
  return nearest;
}

function describe({ curve, name }, point, unit) {
  const fit = curve.fit?.[point];
  return `${name}, ${formatValue(curve.signal[point])} ${unit}${Number.isFinite(fit) ? `, fit ${formatValue(fit)}` : ''}`;
}

/** A mouse reads where it points and enlarges what it is dragged over; a finger reads, and scrolls the page. */
function followPointer(picture, { state, readAt, setRange, whole, getDrawn }) {
  let start = null;
  const locate = (event) => {
    const box = picture.getBoundingClientRect();
    const { width } = getDrawn();
    const scale = width / box.width;
    const x = Math.max(PAD.left, Math.min(width - PAD.right, (event.clientX - box.left) * scale));
    return { x, y: (event.clientY - box.top) * scale };
  };
  const setBand = (from, to) => {
    const { band } = getDrawn();
    band.setAttribute('x', Math.min(from, to));
    band.setAttribute('width', Math.abs(to - from));
  };
  picture.addEventListener('pointermove', (event) => {
    const { x, y } = locate(event);
    state.level = y;
    readAt(getDrawn().toValue(x));
    if (start !== null) setBand(start, x);
  });
  picture.addEventListener('pointerdown', (event) => {
    const { x, y } = locate(event);
    state.level = y;
    readAt(getDrawn().toValue(x));
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    start = x;
    picture.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  picture.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const [from, to] = [start, locate(event).x].toSorted((a, b) => a - b);
    start = null;
    setBand(0, 0);
    const { toValue } = getDrawn();
    if (to - from >= DRAG_MIN) setRange({ from: toValue(from), to: toValue(to) });
  });
  picture.addEventListener('pointercancel', () => {
    start = null;
    setBand(0, 0);
  });
  picture.addEventListener('dblclick', () => setRange(whole));
}

/** Answers whether anything is shown; if not, the figure stands in its place. */
async function fill(card) {
  try {
    const answer = await fetch(card.dataset.curves, { headers: { accept: 'application/json' } });
    if (!answer.ok) return false;
    const curves = await answer.json();
    const hasCurves = draw(card, curves);
    const own = listPlates(JSON.parse(card.dataset.wells ?? '[]'), curves.sequence_name);
    const plates = [...curves.curves.filter(({ kind }) => kind === 'plate'), ...own];
    for (const plate of plates) drawPlate(card, plate, curves);
    return hasCurves || plates.length > 0;
  } catch {
    return false;
  }
}

for (const card of document.querySelectorAll('[data-curves]')) {
  const isShown = await fill(card);
  card.querySelector('.reader-wait')?.remove();
  card.hidden = !isShown;
  const figure = card.nextElementSibling;
  if (!isShown && figure?.matches('.plot.behind')) figure.classList.remove('behind');
}
