/** Every answer that a client gets by reading, on every door, for comparing them between two states of the service. */
import { createHash } from 'node:crypto';
import { staffPermissions } from '#core/permissions.ts';
import type { Operation } from '#core/operation.ts';
import { bindings } from '#transports/operations.ts';
import type { Browser } from './browser.ts';
import { getItems, getText, type Ask, type Json, type TestAnswer, type TestService } from './service.ts';
import { callTool } from './tool-call.ts';

/** What stands for `{experiment_id}`, `{result_id}` and so on. */
export type Places = Readonly<Record<string, readonly string[]>>;

export interface Reader {
  readonly service: TestService;
  readonly ask: (method: string, path: string, options?: Ask) => Promise<TestAnswer>;
  readonly browser: Browser;
}

/** The answers by what was asked. */
export type Answers = ReadonlyMap<string, string>;

const reads: readonly Operation[] = bindings
  .map(({ operation }) => operation)
  .filter(
    ({ method, permission }) =>
      method === 'GET' &&
      (permission === 'any' || permission === 'public' || !staffPermissions.has(permission)),
  );

/** Pages about what a client ordered; `/live` has no end. */
const PAGES = [
  '/',
  '/experiments',
  '/experiments/{experiment_id}',
  '/experiments/{experiment_id}/plot.svg',
  '/results/{result_id}',
  '/results/{result_id}/plot.svg',
  '/results/{result_id}/curves.json',
  '/results/{result_id}/thumbnail.svg',
  '/quotes/{quote_id}',
  '/invoices',
  '/targets',
];

/** Asks every door; a place that is not given is not asked. */
export async function readAnswers(reader: Reader, places: Places): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const operation of reads)
    for (const path of fill(listQueries(operation), places))
      answers.set(`REST ${path}`, await readRest(reader, path));
  for (const [name, given] of listCalls(await listTools(reader), places)) {
    const answer = await callTool(reader, name, given);
    answers.set(`tool ${name} ${JSON.stringify(given)}`, mask(JSON.stringify(answer)));
  }
  for (const path of fill(PAGES, places)) {
    const { status, text } = await reader.browser.open(path);
    answers.set(`page ${path}`, mask(`${status} ${text}`));
  }
  return answers;
}

/** A list is also searched, and asked for its longest page. */
function listQueries({ path, list, media }: Operation): string[] {
  if (media?.includes('text/event-stream') === true) return [`${path}?follow=false`];
  if (path.endsWith('/diff')) return [`${path}?against=1`];
  return list === undefined ? [path] : [`${path}?limit=100`, `${path}?search=design`];
}

/** Each path once for each value of its place; without values not at all. */
function fill(paths: readonly string[], places: Places): string[] {
  return paths.flatMap((path) => {
    const [place, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
    if (place === undefined) return [path];
    return fill(
      (places[name] ?? []).map((value) => path.replace(place, value)),
      places,
    );
  });
}

async function readRest({ service, ask }: Reader, path: string): Promise<string> {
  const { status, headers, text } = await ask('GET', path);
  if (status !== 307) return mask(`${status} ${text}`);
  const { pathname, search } = new URL(headers.location ?? '');
  const { rawPayload } = await service.service.app.inject({ method: 'GET', url: pathname + search });
  return `307 ${createHash('sha256').update(rawPayload).digest('hex')}`;
}

async function listTools({ ask }: Reader): Promise<readonly Json[]> {
  const { body } = await ask('POST', '//mcp/', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  });
  return getItems(body.result?.tools);
}

/** The calls of the tools that only read and need nothing but places. */
function listCalls(
  tools: readonly Json[],
  places: Places,
): (readonly [name: string, given: Readonly<Record<string, string>>])[] {
  return tools
    .filter(({ annotations }) => JSON.stringify(annotations?.readOnlyHint) === 'true')
    .flatMap(({ name, inputSchema }) => {
      const required: unknown = inputSchema?.required ?? [];
      const needed = Array.isArray(required) ? required.map(String) : [];
      const [place, ...others] = needed;
      if (place === undefined) return [[getText(name), {}] as const];
      if (others.length > 0) return [];
      return (places[place] ?? []).map((value) => [getText(name), { [place]: value }] as const);
    });
}

/** Without what is new in every answer. */
function mask(text: string): string {
  return text
    .replaceAll(/req_[\w-]+/g, 'req')
    .replaceAll(/(\\*"last_used_at\\*":)(?:null|\\*"[^"]*")/g, '$1null')
    .replaceAll(/(name="(?:form_token|idempotency_key)" value=|nonce=)"[^"]+"/g, '$1""')
    .replaceAll(/(expires|signature)=[\w.%-]+/g, '$1=');
}
