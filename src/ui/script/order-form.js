/*
 * The order form as it changes: files that are chosen or dropped are read at once, and designs, problems and price
 * follow what is typed. Without this script the buttons of the form do the same.
 */
const PAUSE_MS = 400;
for (const form of document.querySelectorAll('form.order')) {
  const text = form.querySelector('#order-sequences');
  const input = form.querySelector('#order-files');
  const zone = form.querySelector('.designs-in');
  const said = form.querySelector('.order-said');
  const bytesMax = Number(form.dataset.bytesMax);
  const kept = `order ${document.body.dataset.organization ?? ''} ${location.pathname}${location.search}`;
  let round = 0;
  let timer;
  form.classList.add('scripted');
  zone.classList.add('drop-zone');

  const listFields = () =>
    [...form.elements].filter(
      ({ name, type }) => name !== '' && !['hidden', 'file', 'submit'].includes(type),
    );

  /** What is typed stays in this tab until the order is sent, so that loading the page anew loses nothing. */
  function keep() {
    const fields = listFields().map(({ name, type, value, checked }) => [
      name,
      type === 'checkbox' ? checked : value,
    ]);
    const shown = form.elements.shown_designs.value;
    try {
      sessionStorage.setItem(kept, JSON.stringify({ fields, shown }));
    } catch {
      // A text that is too large for the store of the tab is not kept, and no older one in its place.
      sessionStorage.removeItem(kept);
    }
  }

  /** Fills in what was kept. A page that the service has answered to a form is newer than that. */
  function restore() {
    const stored = sessionStorage.getItem(kept);
    if (stored === null || form.querySelector('[aria-invalid]') !== null) return;
    const { fields, shown } = JSON.parse(stored);
    const boxes = [];
    for (const [name, value] of fields) {
      const field = listFields().find((known) => known.name === name);
      if (field === undefined && value === true) boxes.push(name);
      else if (field?.type === 'checkbox') field.checked = value;
      else if (field !== undefined) field.value = value;
    }
    form.elements.shown_designs.value = shown;
    // The table with its boxes comes from the service; until then they are hidden fields.
    for (const name of boxes) {
      const box = document.createElement('input');
      Object.assign(box, { type: 'hidden', name, value: 'yes' });
      form.querySelector('#order-designs').append(box);
    }
    said.textContent = 'What you had typed in this tab is here again.';
  }

  /** The page that the form answers; null where a newer question was asked meanwhile. */
  async function ask(intent, files) {
    clearTimeout(timer);
    round += 1;
    const mine = round;
    const body = new FormData(form);
    body.set('intent', intent);
    body.delete('files');
    for (const file of files) body.append('files', file);
    const answer = await fetch(form.action, { method: 'POST', body });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return mine === round ? page : null;
  }

  function showProblems(page) {
    for (const field of ['order-files', 'order-sequences']) {
      const own = form.querySelector(`#${field}`);
      const id = `${field}-problem`;
      const problem = page.getElementById(id);
      form.querySelector(`#${id}`)?.remove();
      own.closest('.field').classList.toggle('invalid', problem !== null);
      if (problem !== null) own.closest('.field').append(document.importNode(problem, true));
      const described = page.getElementById(field)?.getAttribute('aria-describedby');
      if (described) own.setAttribute('aria-describedby', described);
      own.toggleAttribute('aria-invalid', problem !== null);
    }
  }

  /** Keeps the focus on the box that a person has just ticked. */
  function replace(page, id) {
    const [old, fresh] = [form.querySelector(`#${id}`), page.getElementById(id)];
    if (old === null || fresh === null) return;
    const { name } = document.activeElement;
    const hadFocus = old.contains(document.activeElement);
    const scrolled = old.querySelector('.scroll')?.scrollLeft ?? 0;
    old.replaceChildren(...document.importNode(fresh, true).childNodes);
    const scroll = old.querySelector('.scroll');
    if (scroll !== null) scroll.scrollLeft = scrolled;
    if (hadFocus && name) old.querySelector(`[name="${CSS.escape(name)}"]`)?.focus();
  }

  async function follow(intent, files = []) {
    const page = await ask(intent, files);
    if (page === null || page.getElementById('order-designs') === null) return page;
    showProblems(page);
    for (const id of ['order-targets', 'order-columns', 'order-designs', 'order-price']) replace(page, id);
    return page;
  }

  /** Buttons that change fields of the form do so at once, without another page. */
  async function press(event) {
    const button = event.submitter;
    const target = form.querySelector('#order-target_id');
    const doses = form.querySelector('#order-antigen_concentrations');
    if (button?.name === 'choose_target') {
      event.preventDefault();
      target.value = button.value;
      form.querySelector('#order-target_search').value = '';
      target.focus();
      keep();
      await follow('live');
    } else if (button?.value === 'propose' || button?.value === 'search') {
      event.preventDefault();
      const page = await follow(button.value);
      const fresh = page?.getElementById('order-antigen_concentrations');
      if (button.value === 'propose' && fresh) doses.value = fresh.value;
      keep();
    } else sessionStorage.removeItem(kept);
  }

  const describe = (files) => (files.length === 1 ? files[0].name : `${files.length} files`);

  async function add(files) {
    if (files.length === 0) return;
    const bytes = files.reduce((sum, { size }) => sum + size, text.value.length);
    if (bytes > bytesMax) {
      said.textContent = `${describe(files)} and the text are larger than ${Math.floor(bytesMax / 1024 / 1024)} MiB together; send them by the API, or in parts.`;
      return;
    }
    said.textContent = `Reading ${describe(files)}.`;
    try {
      const page = await follow('add', files);
      const fresh = page?.getElementById('order-sequences');
      if (!fresh) throw new Error('no form');
      text.value = fresh.value;
      input.value = '';
      keep();
      said.textContent = `${describe(files)}: read. Nothing is stored yet.`;
    } catch {
      said.textContent = 'The service did not read the files; try again.';
    }
  }

  const followSoon = () => {
    keep();
    clearTimeout(timer);
    timer = setTimeout(() => void follow('live').catch(() => undefined), PAUSE_MS);
  };
  form.addEventListener('submit', (event) => void press(event).catch(() => undefined));
  input.addEventListener('change', () => void add([...input.files]));
  form.addEventListener('input', (event) => {
    if (event.target !== input) followSoon();
  });
  for (const name of ['dragenter', 'dragover'])
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add('over');
    });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    zone.classList.remove('over');
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    void add([...event.dataTransfer.files]);
  });
  restore();
  if (text.value.trim() !== '') followSoon();
}
