/*
 * The plate of a plan as a grid (WAI-ARIA grid pattern): one tab stop, arrows, selection, pick up and put down. Every
 * edit is the form of the page, sent in the background; the answer is the page anew. Without this script the form
 * beside the plate does the same.
 */
const form = document.getElementById('plan-form');
if (form !== null) {
  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  form.before(status);

  const state = { row: 0, column: 0, anchorRow: 0, anchorColumn: 0, picked: '', isSending: false };
  let grid = null;
  let cells = [];

  const say = (text) => (status.textContent = text);
  const getCell = (row, column) => cells[row]?.[column];
  const getCurrent = () => getCell(state.row, state.column);
  const getField = (id) => document.getElementById(id);
  const findCell = (well) => cells.flat().find((cell) => cell.dataset.well === well);

  function listSelected() {
    const [top, bottom] = [state.row, state.anchorRow].sort((a, b) => a - b);
    const [left, right] = [state.column, state.anchorColumn].sort((a, b) => a - b);
    return cells.slice(top, bottom + 1).flatMap((row) => row.slice(left, right + 1));
  }

  function paint() {
    const selected = new Set(listSelected());
    for (const cell of cells.flat()) {
      cell.setAttribute('aria-selected', String(selected.has(cell)));
      cell.tabIndex = cell === getCurrent() ? 0 : -1;
      cell.classList.toggle('picked', cell.dataset.well === state.picked);
    }
    const names = [...selected].map((cell) => cell.dataset.well);
    document.querySelector('.well-said').textContent = getCurrent().getAttribute('aria-label');
    getField('well').value = state.picked === '' ? names.join(' ') : state.picked;
    getField('other').value = state.picked === '' ? '' : getCurrent().dataset.well;
    const button = document.querySelector('.pick-up');
    button.textContent = state.picked === '' ? 'Pick up' : `Put ${state.picked} back`;
    button.setAttribute('aria-pressed', String(state.picked !== ''));
    if (selected.size > 1) say(`${selected.size} wells selected, ${names[0]} to ${names.at(-1)}.`);
  }

  function moveTo(row, column, { extends: isExtending = false, focuses = true } = {}) {
    state.row = Math.max(0, Math.min(cells.length - 1, row));
    state.column = Math.max(0, Math.min(cells[0].length - 1, column));
    if (!isExtending) [state.anchorRow, state.anchorColumn] = [state.row, state.column];
    paint();
    if (focuses) getCurrent().focus();
  }

  function pickUp() {
    const cell = getCurrent();
    if (state.picked !== '') {
      drop();
      return;
    }
    [state.anchorRow, state.anchorColumn] = [state.row, state.column];
    state.picked = cell.dataset.well;
    paint();
    say(
      `${state.picked} is picked up. Choose another well and press Enter to swap them; Escape puts it back.`,
    );
  }

  function drop() {
    if (state.picked === '') return;
    say(`${state.picked} stays where it was.`);
    state.picked = '';
    paint();
  }

  function swap(one, other) {
    state.picked = '';
    if (one === other) {
      paint();
      return;
    }
    getField('well').value = one;
    getField('other').value = other;
    const plate = getField('other_plate');
    if (plate !== null) plate.value = form.elements.shown.value;
    void send('swap');
  }

  async function send(act) {
    if (state.isSending) return;
    state.isSending = true;
    const pressed = document.activeElement?.closest('.edits button')?.value;
    const fields = new URLSearchParams(new FormData(form));
    fields.set('act', act);
    try {
      const answer = await fetch(form.action, { method: 'POST', body: fields, credentials: 'same-origin' });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const next = page.getElementById('plan');
      if (next === null) throw new Error(page.querySelector('.lead')?.textContent ?? '');
      document.getElementById('plan').replaceWith(document.adoptNode(next));
      form.elements.plan.value = page.getElementById('plan-form').elements.plan.value;
      begin();
      focusAgain(pressed);
      const problems = next.querySelector('#problems').textContent;
      say(`${next.dataset.said} ${problems}.`);
    } catch (error) {
      say(
        error.message === ''
          ? 'The edit was not made: the service cannot be reached. Repeat it.'
          : error.message,
      );
    }
    state.isSending = false;
  }

  /** The answer replaced what had the focus: it returns to the same button, or to the same well. */
  function focusAgain(pressed) {
    const button = pressed === undefined ? null : document.querySelector(`.edits button[value=${pressed}]`);
    if (button === null || button.disabled) getCurrent().focus();
    else button.focus();
  }

  const MOVES = {
    ArrowUp: () => [state.row - 1, state.column],
    ArrowDown: () => [state.row + 1, state.column],
    ArrowLeft: () => [state.row, state.column - 1],
    ArrowRight: () => [state.row, state.column + 1],
    Home: (event) => [event.ctrlKey ? 0 : state.row, 0],
    End: (event) => [event.ctrlKey ? cells.length - 1 : state.row, cells[0].length - 1],
  };

  function leave() {
    if (state.picked !== '') drop();
    else if (listSelected().length > 1) moveTo(state.row, state.column);
    else document.querySelector('.pick-up').focus();
  }

  function select(rows, columns) {
    [state.anchorRow, state.row] = rows;
    [state.anchorColumn, state.column] = columns;
    paint();
    getCurrent().focus();
  }

  function pressKey(event) {
    const move = MOVES[event.key];
    const isSpace = event.key === ' ';
    const last = [cells.length - 1, cells[0].length - 1];
    if (move !== undefined) moveTo(...move(event), { extends: event.shiftKey });
    else if (isSpace && event.ctrlKey) select([0, last[0]], [state.column, state.column]);
    else if (isSpace && event.shiftKey) select([state.row, state.row], [0, last[1]]);
    else if (event.key === 'Enter' || isSpace) {
      if (state.picked === '') pickUp();
      else swap(state.picked, getCurrent().dataset.well);
    } else if (event.key === 'Delete' || event.key === 'Backspace') void send('clear');
    else if (event.key === 'Escape') leave();
    else if ((event.ctrlKey || event.metaKey) && event.key === 'z') void send('undo');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function pressPointer(event) {
    const cell = event.target.closest('[data-well]');
    if (cell === null) return;
    const row = cells.findIndex((each) => each.includes(cell));
    const column = cells[row].indexOf(cell);
    const picked = state.picked;
    moveTo(row, column, { extends: event.shiftKey });
    if (picked !== '') swap(picked, cell.dataset.well);
  }

  function addDragging() {
    let from = null;
    grid.addEventListener('dragstart', (event) => {
      from = event.target.closest('[data-well]')?.dataset.well ?? null;
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', from ?? '');
    });
    grid.addEventListener('dragover', (event) => {
      const cell = event.target.closest('[data-well]');
      if (from === null || cell === null) return;
      event.preventDefault();
      for (const each of cells.flat()) each.classList.toggle('over', each === cell);
    });
    grid.addEventListener('drop', (event) => {
      const to = event.target.closest('[data-well]')?.dataset.well;
      event.preventDefault();
      if (from !== null && to !== undefined) {
        const cell = findCell(to);
        const row = cells.findIndex((each) => each.includes(cell));
        moveTo(row, cells[row].indexOf(cell), { focuses: false });
        swap(from, to);
      }
    });
    grid.addEventListener('dragend', () => {
      from = null;
      for (const each of cells.flat()) each.classList.remove('over');
    });
  }

  function addPickUpButton() {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'pick-up';
    button.addEventListener('click', pickUp);
    document.querySelector('.edits .actions').prepend(button);
  }

  function begin() {
    grid = document.querySelector('.plate');
    cells = [...grid.tBodies[0].rows].map((row) => [...row.querySelectorAll('[data-well]')]);
    grid.setAttribute('role', 'grid');
    grid.setAttribute('aria-multiselectable', 'true');
    for (const row of grid.rows) row.setAttribute('role', 'row');
    for (const cell of cells.flat()) {
      cell.setAttribute('role', 'gridcell');
      cell.draggable = !cell.classList.contains('vacant');
    }
    grid.addEventListener('keydown', pressKey);
    grid.addEventListener('click', pressPointer);
    addDragging();
    addPickUpButton();
    document.querySelector('.keys-hint').hidden = false;
    document.querySelector('.well-said').hidden = false;
    for (const button of document.querySelectorAll('[data-goto]')) {
      button.hidden = button.dataset.plate !== grid.dataset.plate;
      button.addEventListener('click', () => {
        const row = cells.findIndex((each) =>
          each.some(({ dataset }) => dataset.well === button.dataset.goto),
        );
        moveTo(row, cells[row].indexOf(findCell(button.dataset.goto)));
      });
    }
    for (const name of ['undo', 'clear', 'swap']) {
      const button = document.querySelector(`.edits button[value=${name}]`);
      button.addEventListener('click', (event) => {
        event.preventDefault();
        state.picked = '';
        void send(name);
      });
    }
    state.row = Math.min(state.row, cells.length - 1);
    state.column = Math.min(state.column, cells[0].length - 1);
    moveTo(state.row, state.column, { focuses: false });
  }

  begin();
}
