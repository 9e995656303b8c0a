/**
 * Forms from operations: the body of an operation says what is typed, within which limits and what is required; a
 * page adds the words. For example
 *
 *     const record = defineAction(recordRefund, {
 *       path: '/lab/refunds/:refund_id/record',
 *       page: '/lab/refunds',
 *       button: 'Record',
 *       fields: { reference: { label: 'Reference of your transfer' } },
 *       done: 'The refund is recorded as sent back.',
 *     });
 *     routes.addActions([record], loadRefunds); // its address; `loadRefunds` shows a refusal beside the field
 *     renderAction(forms, record, { params: { refund_id: refund.id } }); // for those who may call the operation
 *     renderDone(context, [record]); // the sentence on the page that follows
 */
import { createInvalidFieldsFailure } from '#core/failures.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import type { Operation } from '#core/operation.ts';
import { writeBody } from '#core/reply.ts';
import { readNullable, type Static, type TObject } from '#core/schema.ts';
import { formatCents, formatPercent, parseCents, parseNumber, parsePercent } from './amount.ts';
import type { FormContext, Outcome, PortalContext } from './context.ts';
import {
  nameBox,
  readKey,
  renderLabForm,
  renderNotice,
  type FormsView,
  type LabField,
  type LabForm,
} from './form.ts';
import { getField, getPathParameter, queryParameter, type Form } from './http.ts';
import type { Markup } from './markup.ts';
import { canCall } from './session.ts';
import { toSentenceCase } from './words.ts';

/** What the schema of a field does not say; cents are typed as dollars, and basis points as percent. */
export interface ActionField extends Omit<LabField, 'name' | 'value' | 'ticked' | 'kind'> {
  readonly kind?: 'area' | 'code' | 'email' | 'url' | 'password' | 'date';
}

type BodyOf<Op> = Op extends { readonly body?: infer Body }
  ? Body extends TObject
    ? Static<Body>
    : object
  : object;

export interface ActionDefinition<Op> extends Omit<LabForm, 'action' | 'fields' | 'isOpen'> {
  /** Its parameters bear the names of those of the operation; one that the path lacks is a hidden field. */
  readonly path: string;
  /** The page that follows; its parameters are those of the operation or of `path`, or members of the answer. */
  readonly page: string;
  readonly fields?: { readonly [Name in keyof BodyOf<Op>]?: ActionField };
  /** What was done, in a sentence on the page that follows; nothing where the page shows it by itself. */
  readonly done?: string;
  /** What sending it does where that is more than to call the operation; it answers the next address or a page. */
  readonly does?: (context: FormContext) => Promise<string | Outcome>;
}

/** What a form does, made by an action or by hand. */
export type Deed = Pick<Action, 'path' | 'page' | 'done'>;

export interface Action extends Omit<LabForm, 'action' | 'fields' | 'isOpen'> {
  readonly operation: Operation;
  readonly path: string;
  readonly page: string;
  readonly fields: ReadonlyMap<string, LabField & FieldType>;
  readonly done?: string;
  readonly does?: ActionDefinition<Operation>['does'];
}

type Kind = 'text' | 'number' | 'cents' | 'percent' | 'flag' | 'choices' | 'texts' | 'json';

interface FieldType {
  readonly type: Kind;
  /** An empty field clears what is there; otherwise it is left out. */
  readonly isNullable: boolean;
  /** What can be ticked, of `choices`. */
  readonly choices: readonly string[];
}

export function defineAction<Op extends Operation>(operation: Op, definition: ActionDefinition<Op>): Action {
  const { fields = {}, ...others } = definition;
  return { ...others, operation, fields: describeFields(operation.body, fields) };
}

/** Describes fields by a schema that is no body, such as an entry of one; `readBody` reads them. */
export function defineFields<Schema extends TObject>(
  schema: Schema | undefined,
  fields: { readonly [Name in keyof Static<Schema>]?: ActionField },
): Action['fields'] {
  return describeFields(schema, fields);
}

function describeFields(schema: unknown, fields: object): Action['fields'] {
  const { properties, required } = toRecord(schema);
  const names = new Set(listTexts(required));
  const described = Object.entries<ActionField | undefined>({ ...fields }).flatMap(([name, words]) => {
    const member = toRecord(properties)[name];
    if (words === undefined || !isRecord(member)) return [];
    const isRequired = names.has(name) && !Array.isArray(member.anyOf);
    return [[name, describeField(name, member, { isRequired, ...words })] as const];
  });
  return new Map(described);
}

function describeField(name: string, whole: UnknownRecord, words: ActionField): LabField & FieldType {
  const { base: schema, isNullable } = readNullable(whole);
  const type = findKind(name, schema);
  const values = listTexts(isRecord(schema.items) ? schema.items.enum : schema.enum);
  const options =
    values.length > 0 && nameOptions(values, type === 'text' && (isNullable || words.isRequired !== true));
  return {
    name,
    type,
    isNullable,
    choices: values,
    ...(typeof schema.maxLength === 'number' ? { lengthMax: schema.maxLength } : {}),
    ...(options === false ? {} : { options }),
    ...(KINDS[type] === undefined ? {} : { kind: KINDS[type] }),
    ...words,
    isRequired: words.isRequired === true && type !== 'flag',
  };
}

const KINDS: Readonly<Partial<Record<Kind, LabField['kind']>>> = {
  flag: 'check',
  number: 'number',
  cents: 'number',
  percent: 'number',
  choices: 'boxes',
  json: 'area',
};

function findKind(name: string, { type, items }: UnknownRecord): Kind {
  if (type === 'boolean') return 'flag';
  if (type === 'object') return 'json';
  if (type === 'integer' || type === 'number')
    return name.endsWith('_cents') ? 'cents' : name.endsWith('basis_points') ? 'percent' : 'number';
  if (type === 'array') return isRecord(items) && Array.isArray(items.enum) ? 'choices' : 'texts';
  return 'text';
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function nameOptions(values: readonly string[], mayBeEmpty: boolean): readonly (readonly [string, string])[] {
  const options = values.map((value) => [value, toSentenceCase(value)] as const);
  return mayBeEmpty ? [['', '–'] as const, ...options] : options;
}

export interface ShownAction extends Partial<Omit<LabForm, 'action' | 'fields'>> {
  readonly params?: Readonly<Record<string, string>>;
  /** What the fields hold, by the members of the body. */
  readonly values?: object;
  /** Other words for a field; false leaves it out. */
  readonly fields?: Readonly<Record<string, Partial<ActionField> | false>>;
}

/** Renders the form, or nothing for those who may not call the operation. */
export function renderAction(
  forms: FormsView,
  action: Action,
  { params = {}, values = {}, fields = {}, ...others }: ShownAction = {},
): Markup | null {
  if (!canCall(forms.session, action.operation)) return null;
  const { button, tone, hint, summary } = action;
  const shown = listShown(action.fields, values, fields);
  const inPath = new Set(listParameters(action.path));
  const hidden = Object.fromEntries(Object.entries(params).filter(([name]) => !inPath.has(name)));
  const address = fillPath(action.path, params);
  return renderLabForm(forms, {
    button,
    ...(tone === undefined ? {} : { tone }),
    ...(hint === undefined ? {} : { hint }),
    ...(summary === undefined ? {} : { summary }),
    ...others,
    action: address,
    hidden,
    fields: shown,
  });
}

/** Lists fields with what they hold. */
export function listShown(
  fields: Action['fields'],
  values: object,
  words: ShownAction['fields'] = {},
): LabField[] {
  const known = new Map<string, unknown>(Object.entries(values));
  return [...fields.values()].flatMap((field) => {
    const own = words[field.name];
    return own === false ? [] : [showField({ ...field, ...own }, known.get(field.name))];
  });
}

function showField({ type, ...field }: LabField & FieldType, value: unknown): LabField {
  if (value === undefined) return field;
  return type === 'choices'
    ? { ...field, ticked: listTexts(value) }
    : { ...field, value: writeValue(type, value, field.kind) };
}

function writeValue(type: Kind, value: unknown, kind: LabField['kind']): string {
  if (value === null || value === undefined) return '';
  if (type === 'flag') return value === true ? 'yes' : '';
  if (type === 'cents' && typeof value === 'number') return formatCents(value);
  if (type === 'percent' && typeof value === 'number') return formatPercent(value);
  if (kind === 'date' && typeof value === 'string') return value.slice(0, 10);
  if (Array.isArray(value)) return value.join(kind === 'area' ? '\n' : '; ');
  if (type === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Does what a form asks for, and answers the address of the page that follows, or a page. */
export async function runAction(context: FormContext, action: Action): Promise<string | Outcome> {
  return action.does === undefined ? act(context, action) : action.does(context);
}

/** Calls the operation of a form, and answers the address of the page that follows. */
export async function act({ api, form, request }: FormContext, action: Action): Promise<string> {
  const { operation, page, path } = action;
  const read = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, getPathParameter(request, name) || getField(form, name)] as const),
    );
  const params = read(Object.keys(operation.params?.properties ?? {}));
  const body = operation.body === undefined ? {} : { body: readBody(action, form) };
  // An edit may be sent again with other values, from the page that Back leads to.
  const key = operation.method === 'PATCH' ? {} : { idempotencyKey: readKey(form) };
  const reply = await api.reply(operation, { params, ...body, ...key });
  const known = { ...read(listParameters(path)), ...params };
  const isKnown = listParameters(page).every((name) => Object.hasOwn(known, name));
  const answer: unknown = isKnown ? {} : JSON.parse(writeBody(reply.body));
  return writeNext(action, { ...toRecord(answer), ...known });
}

/** Writes the address of the page that follows a deed, on which `renderDone` says what was done. */
export function writeNext(deed: Deed, params: UnknownRecord): string {
  const next = fillPath(deed.page, params);
  return deed.done === undefined ? next : `${next}?done=${nameDeed(deed)}`;
}

/** Builds the body of a form; what is not valid stays as it was typed, so that the operation names the problem. */
export function readBody({ fields }: Pick<Action, 'fields'>, form: Form): Record<string, unknown> {
  return Object.fromEntries([...fields.values()].flatMap((field) => readMember(field, form)));
}

function readMember(field: LabField & FieldType, form: Form): (readonly [name: string, value: unknown])[] {
  const { name, type, kind, choices, isNullable, isRequired } = field;
  if (type === 'flag') return [[name, getField(form, name) === 'yes']];
  if (type === 'choices')
    return [[name, choices.filter((choice) => getField(form, nameBox(name, choice)) === 'yes')]];
  if (form[name] === undefined) return [];
  // Browsers send line ends as two characters.
  const text = getField(form, name).replaceAll(/\r\n?/g, '\n');
  if (type === 'texts') {
    const parts = text.split(kind === 'area' ? '\n' : /[;\n]/).map((part) => part.trim());
    return [[name, parts.filter(Boolean)]];
  }
  if (text === '' && isRequired !== true) return isNullable ? [[name, null]] : [];
  if (type === 'cents') return [[name, parseCents(text)]];
  if (type === 'percent') return [[name, parsePercent(text)]];
  if (type === 'json') return [[name, parseJson(name, text)]];
  return [[name, type === 'number' ? parseNumber(text) : text]];
}

/** Throws `invalid_request` beside the field. */
function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createInvalidFieldsFailure([{ path: name, message: 'is not valid JSON' }]);
  }
}

/** Renders what the form before has done, on the page that follows it. */
export function renderDone({ request }: PortalContext, deeds: readonly Deed[]): Markup | null {
  const name = queryParameter(request, 'done');
  return renderNotice(deeds.find((deed) => nameDeed(deed) === name)?.done);
}

/** The words of its address that its page lacks, so that no two deeds of a page have the same name. */
function nameDeed({ path, page }: Deed): string {
  const list = (address: string) => address.replaceAll(PARAMETER, '').split('/').filter(Boolean);
  const known = new Set(list(page));
  const own = list(path).filter((word) => !known.has(word));
  return own.join('-') || (list(path).at(-1) ?? '');
}

const PARAMETER = /:(\w+)/g;

function listParameters(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
}

function fillPath(path: string, params: UnknownRecord): string {
  return path.replaceAll(PARAMETER, (_whole, name: string) => {
    const value = params[name];
    return typeof value === 'string' ? encodeURIComponent(value) : '';
  });
}
