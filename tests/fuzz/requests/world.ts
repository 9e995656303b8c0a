/** The service that is asked, everybody who asks it, and what is remembered of its answers. */
import { selectSigningKeys } from '#features/tokens/store.ts';
import { createBuilders, createSequences, type Builders } from '#testing/builders.ts';
import { DeclaredAnswers } from '#testing/declared-answers.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { prepareRecords, type Records } from '#testing/requests.ts';
import { testService, type Ask, type TestAnswer, type TestService } from '#testing/service.ts';
import { Callers } from './callers.ts';
import type { CheckParts } from './check-answer.ts';
import { Findings } from './findings.ts';
import { listQueries, type ListQueries } from './list-queries.ts';
import { LogWatch } from './log-watch.ts';
import { listPageRoutes, createVisitors, type PageRoute, type Visitor } from './page-shots.ts';
import { Pool } from './pool.ts';
import { PASSWORD, Vocabulary, WEBHOOK_SECRET } from './words.ts';

export interface World extends CheckParts {
  readonly service: TestService;
  readonly port: number;
  readonly callers: Callers;
  readonly pool: Pool;
  readonly lists: ListQueries;
  readonly log: LogWatch;
  readonly declared: DeclaredAnswers;
  readonly routes: readonly PageRoute[];
  readonly visitors: readonly Visitor[];
  readonly rawFile: Buffer;
  readonly build: Builders;
  readonly records: Records;
  /** Looked for in the log, beside what the callers hold. */
  readonly secrets: readonly string[];
}

const CREDENTIAL =
  /asy_(?:test|live)_[\w-]{20,}\.[\w.-]+|\bey[\w-]{20,}\.[\w-]+\.[\w-]*|spt_test_\w+|assayer[\w.-]*=[^;'"\s]+|form_token=[\w%-]+/g;

function hideCredentials(text: string): string {
  return text.replaceAll(CREDENTIAL, (found) => `$${/^[a-z]+/i.exec(found)?.[0].toUpperCase() ?? 'TOKEN'}`);
}

export async function prepareWorld(seed: number): Promise<World> {
  const log = new LogWatch();
  const service = await testService({}, { takeLogLine: (line) => log.take(line) });
  const { app, database } = service.service;
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  const callers = await Callers.make(service);
  const ask = asKeeper(service, callers);
  const build = await createBuilders({ ...service, ask });
  const records = await prepareRecords({ ask }, build);
  const visitors = createVisitors(service, callers);
  for (const visitor of visitors) await signIn(visitor, callers);
  const served = await ask('GET', '/openapi.json');
  const keys = await selectSigningKeys(database.read);
  const world: World = {
    service,
    port,
    callers,
    pool: new Pool(),
    lists: listQueries(seed),
    log,
    declared: new DeclaredAnswers(JSON.parse(served.text)),
    routes: await listPageRoutes(app),
    visitors,
    rawFile: Buffer.from(createRawFile(createSequences(1)).content_base64, 'base64'),
    build,
    records,
    findings: new Findings(hideCredentials),
    words: new Vocabulary(),
    secrets: [WEBHOOK_SECRET, PASSWORD, ...keys.map(({ private_jwk: key }) => key.d ?? 'no private key')],
  };
  for (const path of ['/targets?limit=20', '/experiments', '/quotes', '/invoices', '/results', '/sequences'])
    world.pool.harvest((await ask('GET', path)).body);
  for (const target of Object.values(build.targets)) world.pool.addValue('target_id', target);
  world.pool.addValue('experiment_id', records.released.code);
  world.pool.addValue('result_id', records.resultId);
  return world;
}

/**
 * Asks with the rights of everybody; whoever is keeper at the time, because requests also revoke tokens and take people
 * their role or their membership.
 */
function asKeeper({ ask }: TestService, callers: Callers): TestService['ask'] {
  return async (method: string, path: string, options: Ask = {}): Promise<TestAnswer> => {
    const withToken = (): Ask => ({ token: callers.getCaller('keeper').token, ...options });
    const answer = await ask(method, path, withToken());
    if (answer.status !== 401 && answer.status !== 403) return answer;
    await callers.renew(callers.getCaller('keeper'));
    return ask(method, path, withToken());
  };
}

export async function signIn(visitor: Visitor, callers: Callers): Promise<void> {
  const cookie = await visitor.signIn();
  if (cookie !== undefined) callers.hideLater(cookie);
}
