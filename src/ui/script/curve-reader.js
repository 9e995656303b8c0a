/* Curves whose values are read under the pointer, or by a slider. Without this script the figure and the CSV have them. */
const SVG = 'http://www.w3.org/2000/svg';
/** A narrow screen gets a narrow figure, so that its letters stay as large as they are. */
const WIDTH = window.innerWidth < 720 ? 380 : 760;
const HEIGHT = 280;
const PAD = { left: 56, right: 12, top: 12, bottom: 34 };
const COLORS = 6;
const STEPS = 1000;

const AXES = {
  sensorgram: { x: 'time_s', unit: 's' },
  capture: { x: 'time_s', unit: 's' },
  melt: { x: 'temperature_c', unit: '°C' },
};

function create(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

/** The signs of negative numbers as everywhere on the pages. */
const writeMinus = (text) => text.replace('-', '−');

/** With four digits and at most five decimals; zeros at the end say how precise it is. */
function formatValue(value) {
  if (!Number.isFinite(value)) return '–';
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return writeMinus(value.toFixed(Math.min(5, Math.max(0, 3 - power))));
}

/** Seconds are counted in steps that divide minutes. */
const TIME_STEPS_S = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/** How far a tick may lie beyond the last value, as a fraction of the range. */
const NEAR = 0.005;

/** Round numbers within the range, about `count` of them, with the decimals that tell them apart. */
function listTicks(low, high, count, steps = []) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const step = steps[0] <= rough ? (steps.find((each) => each >= rough) ?? round) : round;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  // A recording that ends just before a round number ends there.
  const length = Math.floor((high + NEAR * (high - low)) / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, length) }, (_, index) => {
    const value = (first + index) * step;
    const text = Math.abs(value).toFixed(decimals);
    return { value, text: value < 0 && Number(text) !== 0 ? `−${text}` : text };
  });
}

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
  const channel = curve.kind === 'melt' ? ` ${curve.channel}` : '';
  const state = curve.excluded === true ? ', left out' : '';
  return `Replicate ${curve.replicate ?? '–'}${dose}${channel}${state}`;
}

/** The index of the point that is nearest to x; the axis ascends. */
function findNearest(values, x) {
  let [low, high] = [0, values.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return Math.abs(values[low] - x) <= Math.abs(values[high] - x) ? low : high;
}

function draw(card, answer) {
  const curves = answer.curves
    .filter(({ kind }) => kind in AXES)
    .map((curve, index) => ({ curve, index, xs: curve[AXES[curve.kind].x], name: nameCurve(curve) }))
    .filter(({ xs }) => xs.length > 0);
  if (curves.length === 0) return;
  const { unit } = AXES[curves[0].curve.kind];
  const all = curves.flatMap(({ curve }) => curve.signal).filter(Number.isFinite);
  const [low, high] = all.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity]);
  const first = Math.min(...curves.map(({ xs }) => xs[0]));
  const last = Math.max(...curves.map(({ xs }) => xs.at(-1)));
  const toX = (x) => PAD.left + ((x - first) / (last - first || 1)) * (WIDTH - PAD.left - PAD.right);
  const toY = (y) => HEIGHT - PAD.bottom - ((y - low) / (high - low || 1)) * (HEIGHT - PAD.top - PAD.bottom);

  const picture = create('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'reader-plot',
    'aria-hidden': 'true',
  });
  for (const { value, text } of listTicks(low, high, 6)) {
    const y = toY(value);
    create('line', { x1: PAD.left, x2: WIDTH - PAD.right, y1: y, y2: y, class: 'reader-grid' }, picture);
    create('text', { x: PAD.left - 6, y: y + 4, 'text-anchor': 'end' }, picture).textContent = text;
  }
  const ticks = listTicks(first, last, 4, unit === 's' ? TIME_STEPS_S : []);
  ticks.forEach(({ value, text }, index) => {
    const isLast = index === ticks.length - 1;
    const x = toX(value);
    const anchor = x > WIDTH - PAD.right - 20 ? 'end' : 'middle';
    create('text', { x, y: HEIGHT - 12, 'text-anchor': anchor }, picture).textContent =
      `${text}${isLast ? ` ${unit}` : ''}`;
  });
  const lines = curves.map(({ curve, index, xs }) => {
    const write = (ys) =>
      xs
        .map((x, i) => (Number.isFinite(ys[i]) ? `${toX(x).toFixed(1)},${toY(ys[i]).toFixed(1)}` : ''))
        .join(' ');
    const look = `reader-line color-${index % COLORS}${curve.excluded === true ? ' out' : ''}`;
    if (Array.isArray(curve.fit))
      create('polyline', { points: write(curve.fit), class: 'reader-fit' }, picture);
    return create('polyline', { points: write(curve.signal), class: look }, picture);
  });
  const cursor = create('line', { y1: PAD.top, y2: HEIGHT - PAD.bottom, class: 'reader-cursor' }, picture);

  const label = document.createElement('label');
  const caption = document.createElement('span');
  caption.className = 'hint';
  const slider = document.createElement('input');
  Object.assign(slider, { type: 'range', min: '0', max: String(STEPS), value: String(STEPS / 2) });
  label.append(caption, slider);
  label.className = 'reader-slider';
  const table = document.createElement('table');
  table.innerHTML =
    '<thead><tr><th scope="col">Curve</th><th scope="col" class="number">Signal</th><th scope="col" class="number">Fit</th></tr></thead>';
  const body = table.createTBody();
  const rows = curves.map(({ name, index }) => {
    const row = body.insertRow();
    const head = document.createElement('th');
    head.scope = 'row';
    const swatch = create(
      'svg',
      { viewBox: '0 0 12 12', class: 'reader-swatch', 'aria-hidden': 'true' },
      head,
    );
    create('line', { x1: 0, x2: 12, y1: 6, y2: 6, class: `reader-line color-${index % COLORS}` }, swatch);
    head.append(` ${name}`);
    row.append(head);
    const cells = [row.insertCell(), row.insertCell()];
    for (const cell of cells) cell.className = 'number';
    return { row, cells };
  });
  const scroll = document.createElement('div');
  scroll.className = 'scroll';
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', 'Values at the cursor');
  scroll.append(table);
  card.append(picture, label, scroll);

  function readAt(x, y) {
    const at = Math.max(first, Math.min(last, x));
    cursor.setAttribute('x1', toX(at));
    cursor.setAttribute('x2', toX(at));
    slider.value = String(Math.round(((at - first) / (last - first || 1)) * STEPS));
    caption.textContent = `At ${formatValue(at)} ${unit}`;
    slider.setAttribute('aria-valuetext', caption.textContent);
    let nearest = -1;
    let distance = Infinity;
    curves.forEach(({ curve, xs }, i) => {
      const point = findNearest(xs, at);
      rows[i].cells[0].textContent = `${formatValue(curve.signal[point])} ${answer.signal_unit}`;
      rows[i].cells[1].textContent = formatValue(curve.fit?.[point] ?? NaN);
      const away = y === undefined ? Infinity : Math.abs(toY(curve.signal[point]) - y);
      if (away < distance) [nearest, distance] = [i, away];
    });
    rows.forEach(({ row }, i) => row.classList.toggle('near', i === nearest));
    lines.forEach((line, i) => line.classList.toggle('near', i === nearest));
  }

  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    readAt(first + ((x - PAD.left) / (WIDTH - PAD.left - PAD.right)) * (last - first), y);
  });
  slider.addEventListener('input', () => readAt(first + (Number(slider.value) / STEPS) * (last - first)));
  readAt((first + last) / 2);
  card.hidden = false;
}

for (const card of document.querySelectorAll('[data-curves]')) {
  try {
    const answer = await fetch(card.dataset.curves, { headers: { accept: 'application/json' } });
    if (answer.ok) draw(card, await answer.json());
  } catch {
    // The figure above shows the same curves.
  }
}
