/**
 * A published measurement on its way through the public doors: ordered, paid, its files uploaded, completed, released
 * and read as a client reads it.
 * This folder: every published measurement through the doors, with the settings that the service chooses by itself and
 * what the publication states. Not here: the engine alone, which is tested beside its code.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { findPublished } from '#testing/analysis/published-data.ts';
import { expectStatus, type Builders } from '#testing/builders.ts';
import { withShortReason } from '#testing/lab-by-hand.ts';
import {
  getItems,
  getNumber,
  getText,
  type Json,
  type TestAnswer,
  type TestService,
} from '#testing/service.ts';

export interface PublishedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Order {
  readonly experimentType: 'affinity' | 'thermostability';
  /** Of a binding assay. */
  readonly method?: 'bli' | 'spr';
  /** Analyte concentrations as the publication states them. */
  readonly dosesNm?: readonly number[];
  /** Names of the ordered sequences. */
  readonly sequences: readonly string[];
  readonly nReplicates?: number;
}

/** The results by name of the sequence, as `GET /results/{id}` answers them. */
export type Results = ReadonlyMap<string, Json>;

export interface Doors {
  /** Ordered, paid, and its run started. */
  readonly order: (order: Order) => Promise<string>;
  readonly upload: (id: string, file: PublishedFile) => Promise<TestAnswer>;
  /** Completes the raw data with what the publication states, and releases what was found. */
  readonly analyze: (id: string, stated?: Readonly<Record<string, unknown>>) => Promise<Results>;
  /** Why the analysis stopped. */
  readonly readProblem: (id: string, stated?: Readonly<Record<string, unknown>>) => Promise<string>;
  /** All of it. */
  readonly measure: (
    order: Order,
    files: readonly PublishedFile[],
    stated?: Readonly<Record<string, unknown>>,
  ) => Promise<Results>;
}

/** 20 letters for the sequences of an order, which have to differ. */
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';

export function createDoors({ ask, runLab }: TestService, build: Builders): Doors {
  const takeStep = async (id: string, path: string, body: unknown, status = 200): Promise<Json> =>
    expectStatus(
      await ask('POST', `/lab/experiments/${id}/${path}`, { body: withShortReason(path, body) }),
      status,
    ).body;

  async function order({ experimentType, method, dosesNm, sequences, nReplicates }: Order): Promise<string> {
    const isBinding = method !== undefined;
    const spec = {
      experiment_type: experimentType,
      n_replicates: nReplicates ?? 1,
      ...(isBinding ? { method } : { method: undefined, target_id: undefined }),
      ...(dosesNm === undefined ? {} : { antigen_concentrations: dosesNm }),
      sequences: Object.fromEntries(sequences.map((name, i) => [name, createSequence(i)])),
    };
    const { id } = await build.createPaid(build.createBody(spec));
    await takeStep(id, 'materials', {});
    await takeStep(id, 'runs', { instrument: 'as published' }, 201);
    return id;
  }

  const upload = async (id: string, { name, bytes }: PublishedFile): Promise<TestAnswer> => {
    const body = { name, content_base64: Buffer.from(bytes).toString('base64') };
    return ask('POST', `/lab/experiments/${id}/files`, { body });
  };

  async function complete(id: string, settings: Readonly<Record<string, unknown>>): Promise<Json> {
    await takeStep(id, 'complete', { settings });
    await runLab();
    return expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200).body;
  }

  async function analyze(id: string, settings = {}): Promise<Results> {
    const files = await complete(id, settings);
    assert.equal(files.status, 'in_review', JSON.stringify(files.run));
    await takeStep(id, 'release', {});
    const listed = getItems((await ask('GET', `/experiments/${id}/results?limit=100`)).body.items);
    const found = new Map<string, Json>();
    for (const item of listed) {
      const { body } = expectStatus(await ask('GET', `/results/${getText(item.id)}`), 200);
      found.set(getText(body.sequence_name), body);
    }
    return found;
  }

  async function readProblem(id: string, settings = {}): Promise<string> {
    return getText((await takeStep(id, 'complete', { settings }, 409)).error);
  }

  async function measure(toOrder: Order, files: readonly PublishedFile[], settings = {}): Promise<Results> {
    const id = await order(toOrder);
    for (const file of files) expectStatus(await upload(id, file), 201);
    return analyze(id, settings);
  }

  return { order, upload, analyze, readProblem, measure };
}

function createSequence(index: number): string {
  const tail = LETTERS.charAt(index % LETTERS.length) + LETTERS.charAt(Math.floor(index / LETTERS.length));
  return `QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY${tail}`;
}

/** The files of a folder or one file of the published data; null after the test was marked as skipped. */
export function readPublished(context: TestContext, name: string): PublishedFile[] | null {
  const path = findPublished(context, name);
  if (path === null) return null;
  const base = path.split(/[\\/]/).at(-1) ?? name;
  return /\.[A-Za-z0-9]+$/.test(base)
    ? [{ name: base, bytes: readFileSync(path) }]
    : readdirSync(path).map((file) => ({ name: file, bytes: readFileSync(join(path, file)) }));
}

export function encode(name: string, text: string): PublishedFile {
  return { name, bytes: Buffer.from(text) };
}

/** The result of a sequence that the order names. */
export function getResult(results: Results, name: string): Json {
  const found = results.get(name);
  assert.ok(found !== undefined, `there is no result of ${name}`);
  return found;
}

export interface Expected {
  readonly value: number;
  /** Largest relative difference. */
  readonly within: number;
  readonly relation: '=' | '~';
}

/** Checks a quantity of a result: its value within the tolerance, and its relation. */
export function expectQuantity(result: Json, name: string, { value, within, relation }: Expected): void {
  const found = result.quantities?.[name];
  assert.ok(found !== undefined, `${name}: ${JSON.stringify(result.quantities)} ${listFlags(result)}`);
  const sentence = `${name} ${JSON.stringify(found)}, published ${value}; ${listFlags(result)}`;
  assert.ok(Math.abs(getNumber(found.value) / value - 1) < within, sentence);
  assert.equal(getText(found.relation), relation, sentence);
}

/** Codes of all flags with their severity. */
export function listFlags(result: Json): string {
  return getItems(result.qc?.details)
    .map(({ code, severity }) => `${getText(code)} ${getText(severity)}`)
    .join(', ');
}

export function listNotices(result: Json): string[] {
  return getItems(result.metadata?.notices).map(getText);
}
