/** Forms of the lab: every one shows what was typed, and each problem beside its field. */
import { getField, type Form } from './http.ts';
import { markup, type Markup, type Part } from './markup.ts';
import type { PortalContext } from './context.ts';
import type { Session } from './session.ts';
import { capitalizeSentence } from '#core/words.ts';
import type { Remark } from './screen.ts';
import { renderFormToken } from './layout.ts';

export interface LabField {
  readonly name: string;
  readonly label: string;
  /** A line of text unless stated. */
  readonly kind?:
    'text' | 'area' | 'code' | 'email' | 'url' | 'password' | 'date' | 'number' | 'check' | 'boxes' | 'file';
  readonly hint?: string | Markup;
  readonly value?: string;
  /** The boxes that are ticked. */
  readonly ticked?: readonly string[];
  readonly lengthMax?: number;
  readonly isRequired?: boolean;
  /** Path of the problems that stand beside it, where they would stand beside another field by their first part. */
  readonly about?: string;
  /** What the browser fills in, such as `organization`; nothing unless stated. */
  readonly autocomplete?: string;
  /** Id of the `datalist` with what can be chosen. */
  readonly list?: string;
  /** Makes it a choice among these; of the kind `boxes`, each has a box. */
  readonly options?: readonly Option[];
  /** Stands beside the next one of the kind where there is room. */
  readonly isPaired?: boolean;
}

/** A choice of a field; those of one group stand under its name. */
export type Option = readonly [value: string, label: Part, group?: string];

export interface LabForm {
  readonly action: string;
  readonly button: Part;
  readonly tone?: 'primary' | 'primary large' | 'danger' | 'quiet';
  readonly fields?: readonly LabField[];
  /** Sent with what is typed, such as the id of what the form is about. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** What happens when it is sent. */
  readonly hint?: Part;
  /** Folds the form behind these words. */
  readonly summary?: Part;
  /** Unfolds it from the start. */
  readonly isOpen?: boolean;
}

/** What every form of a page needs: whose session it is, fresh keys, and what was refused before. */
export interface FormsView {
  readonly session: Session;
  readonly createKey: () => string;
  readonly remark: Remark | undefined;
}

/** The same for a person without an organization, and for nobody in particular, whose forms call no operation. */
export interface PlainFormsView {
  readonly session: Pick<Session, 'visitor'> | null;
  readonly remark: Remark | undefined;
}

export function createFormsView({ session, parts }: PortalContext, remark?: Remark): FormsView {
  return { session, remark, createKey: () => parts.work.ids.createSecret() };
}

export function renderLabForm(view: FormsView | PlainFormsView, form: LabForm): Markup {
  const { action, button, tone, fields = [], hidden = {}, hint, summary, isOpen = false } = form;
  const formRemark = keepFormRemark(view.remark, form);
  const scope = [action, ...Object.values(hidden)].join('-');
  const hasFile = fields.some(({ kind }) => kind === 'file');
  const body = markup`<form method="post" action="${action}" class="fields"${hasFile && markup` enctype="multipart/form-data"`}>${'createKey' in view ? renderFormFields(view.session, view.createKey()) : view.session && renderFormToken(view.session.visitor)}${Object.entries(hidden).map(renderHidden)}
${formRemark && renderRefusal(formRemark, fields)}
${renderFields(scope, fields, formRemark)}
${Boolean(hint) && markup`<p class="hint">${hint}</p>`}
<div><button${tone !== undefined && markup` class="${tone}"`}>${button}</button></div></form>`;
  if (summary === undefined) return body;
  return markup`<details${(isOpen || formRemark !== undefined) && markup` open`}><summary>${summary}</summary>${body}</details>`;
}

/** Renders fields, those that are paired beside each other; `remark` is what was refused there. */
export function renderFields(scope: string, fields: readonly LabField[], remark: Remark | undefined): Part {
  const places = listPlaces(fields);
  return groupPairs(fields).map((paired) => {
    const shown = paired.map((field) =>
      renderField(scope, field, remark && keepProblems(remark, places, field)),
    );
    return paired.length > 1 ? markup`<div class="row">${shown}</div>` : shown;
  });
}

const listPlaces = (fields: readonly LabField[]): string[] => fields.map(({ name, about = name }) => about);

/** Several forms with one address differ in their hidden fields. */
function keepFormRemark(
  remark: Remark | undefined,
  { action, hidden = {} }: Pick<LabForm, 'action' | 'hidden'>,
): Remark | undefined {
  const isOwn =
    remark?.action === action &&
    Object.entries(hidden).every(([name, value]) => remark.typed[name] === value);
  return isOwn ? remark : undefined;
}

/** Groups the fields that follow each other and stand beside each other. */
function groupPairs(fields: readonly LabField[]): LabField[][] {
  const groups: LabField[][] = [];
  for (const field of fields) {
    const last = groups.at(-1);
    if (field.isPaired === true && last?.[0]?.isPaired === true) last.push(field);
    else groups.push([field]);
  }
  return groups;
}

export function renderHidden([name, value]: readonly [name: string, value: string]): Markup {
  return markup`<input type="hidden" name="${name}" value="${value}">`;
}

/**
 * Says why a form was refused, as far as that does not stand beside its fields; it has the focus, so that a browser
 * scrolls there on a long page.
 */
export function renderRefusal(remark: Remark, fields: readonly LabField[] = []): Markup {
  return renderAlert(remark, describeRefusal(remark, listPlaces(fields)), 'problem');
}

/** The same above a form of several cards, or above the whole page. */
export function renderWideRefusal(remark: Remark, sentence: Part = remark.message): Markup {
  return renderAlert(remark, sentence, 'note attention');
}

function renderAlert(remark: Remark, sentence: Part, className: string): Markup {
  remark.markSaid();
  return markup`<p tabindex="-1" autofocus class="${className}" role="alert">${sentence}</p>`;
}

/** Says that problems stand beside their fields, and names those that stand beside none. */
function describeRefusal({ message, problems }: Remark, places: readonly string[]): string {
  const others = problems.filter(({ path }) => findPlace(places, path) === undefined);
  if (others.length === problems.length) return message;
  const sentences = others.map(({ path, message: problem }) => ` ${path} ${problem.replace(/\.$/, '')}.`);
  return `Nothing was changed; see below.${sentences.join('')}`;
}

/** `/body/reason/0` and `reason` are about the field `reason`. */
function getFieldName(path: string): string {
  return path.split(/[/.[\]]/).find((part) => part !== '' && part !== 'body') ?? '';
}

/** Finds the field that shows a problem: of this very path, or of its first part. */
function findPlace(places: readonly string[], path: string): string | undefined {
  return places.find((place) => place === path) ?? places.find((place) => place === getFieldName(path));
}

/** A problem that a field is about stands beside this field alone. */
function keepProblems(remark: Remark, places: readonly string[], { name, about = name }: LabField): Remark {
  const problems = remark.problems.flatMap((problem) =>
    findPlace(places, problem.path) === about ? [{ ...problem, path: name }] : [],
  );
  return { ...remark, problems };
}

/** Makes a sentence of what is wrong; a name at its beginning keeps its letters. */
function writeProblem(message: string): string {
  const sentence = message.replace(/(?: or null)?\.?$/, '');
  return `${/^[a-z]+ /.test(sentence) ? capitalizeSentence(sentence) : sentence}.`;
}

/** Renders a field of a form of its own making; `remark` is what was refused there. */
export function renderField(
  action: string,
  field: LabField,
  remark: Pick<Remark, 'problems' | 'typed'> | undefined,
): Markup {
  const { name, label, hint, lengthMax, list, autocomplete = 'off', isRequired = false } = field;
  const id = `${action.replaceAll(/[^\w]+/g, '-').replace(/^-/, '')}-${name}`;
  const problems = (remark?.problems ?? [])
    .filter(({ path }) => getFieldName(path) === name)
    .map(({ message }) => writeProblem(message));
  // A secret that was typed is not sent back.
  const typed = field.kind === 'password' ? '' : (remark?.typed[name] ?? '');
  const value = remark === undefined ? (field.value ?? '') : typed.slice(0, lengthMax);
  if (field.kind === 'check')
    return markup`${renderBox(name, label, value !== '')}${renderProblems(id, problems)}`;
  if (field.kind === 'boxes') return renderBoxes(id, field, problems, remark?.typed);
  return renderFormField({
    name,
    id,
    label,
    hint,
    problems,
    renderControl: (attributes) => {
      const limits = markup`${attributes}${lengthMax !== undefined && markup` maxlength="${lengthMax}"`}${isRequired && markup` required`}`;
      if (field.options !== undefined) {
        const mustChoose = isRequired && field.options[0]?.[0] === '';
        return renderSelect(markup`${attributes}${mustChoose && ' required'}`, value, field.options);
      }
      // HTML drops a line feed right after the tag; this one keeps a line feed that was typed.
      if (field.kind === 'area' || field.kind === 'code')
        return markup`<textarea ${field.kind === 'area' ? markup`class="short"` : CODE} ${limits} autocomplete="${autocomplete}">
${value}</textarea>`;
      if (field.kind === 'file') return markup`<input type="file" ${limits}>`;
      const { kind = 'text' } = field;
      const type = INPUT_TYPES[kind] ?? markup`type="${kind}"`;
      return markup`<input ${type} ${limits} value="${value}" autocomplete="${autocomplete}"${list !== undefined && markup` list="${list}"`}>`;
    },
  });
}

const CODE = markup`rows="6" spellcheck="false" autocapitalize="off"`;

/** What differs from the type of the kind's name. Browsers refuse decimals in a field of the type number. */
const INPUT_TYPES: Readonly<Record<string, Markup>> = {
  number: markup`type="text" inputmode="decimal"`,
  url: markup`type="text" inputmode="url" spellcheck="false"`,
  email: markup`type="email" autocapitalize="none" spellcheck="false"`,
};

function renderBox(name: string, label: Part, isTicked: boolean): Markup {
  return markup`<label class="check"><input type="checkbox" name="${name}" value="yes"${isTicked && markup` checked`}> <span>${label}</span></label>`;
}

export const nameBox = (field: string, choice: string): string => `${field}:${choice}`;

function renderBoxes(
  id: string,
  { name, label, hint, options = [], ticked = [] }: LabField,
  problems: readonly string[],
  typed: Form | undefined,
): Markup {
  const boxes = options.map(([choice, words]) => {
    const box = nameBox(name, choice);
    return renderBox(box, words, typed === undefined ? ticked.includes(choice) : typed[box] === 'yes');
  });
  return markup`<fieldset class="field${problems.length > 0 && ' invalid'}"${problems.length > 0 && markup` aria-describedby="${id}-problem"`}><legend>${label}</legend>${hint !== undefined && markup`<p class="hint">${hint}</p>`}<div class="checks">${boxes}</div>${renderProblems(id, problems)}</fieldset>`;
}

/** The key of a form, so that one that is sent twice acts once. */
export function readKey(form: Form): string | undefined {
  const key = getField(form, IDEMPOTENCY_FIELD);
  return key === '' ? undefined : key;
}

/** The fields that were filled in; an operation takes an omitted field as it is, and an empty one not. */
export function readFilled(form: Form, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = getField(form, name);
      return text === '' ? [] : [[name, text]];
    }),
  );
}

/** The sentence after a form, such as `?done=saved`. */
export function renderNotice(sentence: string | undefined): Markup | null {
  return sentence === undefined ? null : markup`<p class="notice" role="status">${sentence}</p>`;
}

export interface FormField {
  readonly name: string;
  /** Unique on the page; the name unless several forms have this field. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string | Markup | undefined;
  /** Problems, shown beside the field. */
  readonly problems: readonly string[];
  /** The control itself; the attributes connect it to label, hint and problems. */
  readonly renderControl: (attributes: Markup) => Markup;
}

const PROBLEMS_SHOWN = 20;

export function renderFormField(field: FormField): Markup {
  const { name, id = name, label, hint, problems, renderControl } = field;
  const described = [
    hint === undefined ? '' : `${id}-hint`,
    problems.length > 0 ? `${id}-problem` : '',
  ].filter(Boolean);
  const attributes = markup`id="${id}" name="${name}"${described.length > 0 && markup` aria-describedby="${described.join(' ')}"`}${problems.length > 0 && markup` aria-invalid="true"`}`;
  return markup`<div class="field${problems.length > 0 && ' invalid'}"><label for="${id}">${label}</label>${renderControl(attributes)}
${hint !== undefined && markup`<p class="hint" id="${id}-hint">${hint}</p>`}
${renderProblems(id, problems)}</div>`;
}

function renderProblems(id: string, problems: readonly string[]): Markup | null {
  if (problems.length === 0) return null;
  const rest = problems.length - PROBLEMS_SHOWN;
  return markup`<ul class="problem" id="${id}-problem">${problems.slice(0, PROBLEMS_SHOWN).map((problem) => markup`<li>${problem}</li>`)}${rest > 0 && markup`<li>and ${rest} more</li>`}</ul>`;
}

/** Renders a choice among values. */
export function renderSelect(attributes: Markup, chosen: string, options: readonly Option[]): Markup {
  const groups = [...Map.groupBy(options, ([, , group = '']) => group)].map(([group, members]) => {
    const shown = members.map(
      ([value, label]) =>
        markup`<option value="${value}"${value === chosen && markup` selected`}>${label}</option>`,
    );
    return group === '' ? shown : markup`<optgroup label="${group}">${shown}</optgroup>`;
  });
  return markup`<select ${attributes}>${groups}</select>`;
}

const IDEMPOTENCY_FIELD = 'idempotency_key';

/** Two hidden fields of every form: the session's token, and a key that makes a repeat harmless. */
export function renderFormFields(session: Session, key: string): Markup {
  return markup`${renderFormToken(session.visitor)}<input type="hidden" name="${IDEMPOTENCY_FIELD}" value="${key}">`;
}
