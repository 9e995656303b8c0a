/** Every answer to a GET that a service gives, for ids that its own lists name. */
import { createHash } from 'node:crypto';
import { ask, getItems, type Door, type Json } from './ask.ts';
import type { Tokens } from './fill.ts';

const VALUES_PER_PARAMETER = 12;
const PATH_PARAMETER = /\{(\w+)\}/g;
const UNKNOWN = '01980000-0000-7000-8000-00000000ffff';
/** The document describes the version itself, and the audit trail records the questions that are asked here. */
const NOT_COMPARED = new Set(['/openapi.json', '/audit', '/audit/head', '/lab/audit', '/lab/audit/head']);

/** Where the values of a path parameter stand: a list, and the fields of its items. */
const SOURCES: Readonly<Record<string, readonly [list: string, ...fields: string[]]>> = {
  experiment_id: ['/experiments', 'id', 'code'],
  sequence_id: ['/sequences', 'id'],
  target_id: ['/targets', 'id'],
  quote_id: ['/lab/quotes', 'quote_id', 'id'],
  invoice_id: ['/lab/invoices', 'invoice_id', 'id'],
  result_id: ['/results', 'id'],
  request_id: ['/targets/request-custom', 'id'],
  organization_id: ['/lab/invoices', 'organization_id'],
  credit_note_number: ['/lab/refunds', 'credit_note_number'],
};

export type Snapshot = ReadonlyMap<string, { readonly status: number; readonly body: unknown }>;

/** The paths to ask for, with the ids that the first version has. */
export async function listQuestions(door: Door): Promise<string[]> {
  const { json: document } = await ask(door, 'GET', '/openapi.json');
  const templates = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    'get' in item && !NOT_COMPARED.has(path) ? [writeQuestion(path.replace(/^\/api\/v1/, ''), item.get)] : [],
  );
  const values = new Map<string, readonly string[]>();
  for (const [name, [list, ...fields]] of Object.entries(SOURCES)) {
    const { json } = await ask(door, 'GET', `${list}?limit=${VALUES_PER_PARAMETER}`);
    const found = getItems(json).flatMap((item) => fields.map((field) => item[field]));
    values.set(name, [...new Set(found.filter((value) => typeof value === 'string'))]);
  }
  return templates.flatMap((template) => fill(template, values));
}

/** A stream is asked to end with what there is. */
function writeQuestion(path: string, operation: Json | undefined): string {
  const parameters: readonly { readonly name?: unknown }[] = Array.isArray(operation?.parameters)
    ? operation.parameters
    : [];
  return parameters.some(({ name }) => name === 'follow') ? `${path}?follow=false` : path;
}

function fill(template: string, values: ReadonlyMap<string, readonly string[]>): string[] {
  const [, name] = [...template.matchAll(PATH_PARAMETER)][0] ?? [];
  if (name === undefined) return [template];
  const known = values.get(name) ?? [];
  const filled = (known.length === 0 ? [UNKNOWN] : known).map((value) =>
    template.replace(`{${name}}`, encodeURIComponent(value)),
  );
  return filled.flatMap((path) => fill(path, values));
}

export async function takeSnapshot(
  url: string,
  tokens: Tokens,
  questions: readonly string[],
): Promise<Snapshot> {
  const snapshot = new Map<string, { status: number; body: unknown }>();
  for (const [name, token] of tokens)
    for (const question of questions) {
      const { status, headers, text, json } = await ask({ url, token }, 'GET', question);
      const isJson = headers.get('content-type')?.includes('json') ?? false;
      const body = isJson ? removeRequest(json) : createHash('sha256').update(text, 'latin1').digest('hex');
      snapshot.set(`${name} ${question}`, { status, body: { body, leadsTo: getPlace(headers) } });
    }
  return snapshot;
}

/** A cursor is opaque, and no version has to understand that of another list order. */
function removeRequest(body: Json): unknown {
  return Array.isArray(body) ? body : { ...body, request_id: undefined, next: undefined };
}

/** Without the signature, which is made anew. */
function getPlace(headers: Headers): string | null {
  return headers.get('location')?.split('?')[0] ?? null;
}
