import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { RefusedError, UnreachableError } from './command-error.ts';
import { runInTerminal } from './terminal.ts';
import { watchList } from './watch-list.ts';

interface Item {
  readonly id: string;
  readonly state: string;
}

interface Watched {
  readonly out: string;
  readonly err: string;
}

/** Watches a list that each read answers anew, until there is no further answer. */
async function watch(
  answers: readonly (readonly Item[] | Error)[],
  size?: { readonly columns: number; readonly rows: number },
): Promise<Watched> {
  const createStream = () =>
    Object.assign(new PassThrough().setEncoding('utf8'), size === undefined ? {} : { isTTY: true, ...size });
  const [stdout, stderr] = [createStream(), createStream()];
  const end = new AbortController();
  const rest = [...answers];
  const terminal = { stdin: new PassThrough(), stdout, stderr, environment: { NO_COLOR: '1' } };
  await runInTerminal(terminal, () =>
    watchList<Item>({
      read: () => {
        const answer = rest.shift();
        if (rest.length === 0) end.abort();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? []);
      },
      getKey: ({ id }) => id,
      layOut: (items) => ['ID STATE', ...items.map(({ id, state }) => `${id} ${state}`)],
      formatLine: ({ id, state }, change) => `${change} ${id} ${state}`,
      everyMs: 1,
      signal: end.signal,
    }),
  );
  const show = (stream: PassThrough): string => String(stream.read() ?? '').replaceAll('\u001B', 'ESC');
  return { out: show(stdout), err: show(stderr) };
}

const a = { id: 'a', state: 'draft' };
const b = { id: 'b', state: 'draft' };

describe('watchList', () => {
  it('watchList: no terminal → every item, then one line for each that is added, changed or removed', async () => {
    const { out, err } = await watch([[a], [a], [{ ...a, state: 'done' }, b], [b]]);
    assert.equal(out, 'added a draft\nchanged a done\nadded b draft\nremoved a done\n');
    assert.equal(err, '');
  });

  it('watchList: a terminal → the table is painted over itself, with its time', async () => {
    const { out } = await watch([[a], [a, b]], { columns: 60, rows: 20 });
    const [first = '', second = ''] = out.split('ESC[3A');
    assert.match(first, /^\rESC\[JID STATE\na draft\nAs of \d{4}-\S+ \S+ \S+; Ctrl\+C ends\.\n$/);
    assert.match(second, /^\rESC\[JID STATE\na draft\nb draft\nAs of /);
  });

  it('watchList: more rows than the terminal has → as many as fit, and how many more', async () => {
    const items = Array.from({ length: 50 }, (_, index) => ({ id: `item-${index}`, state: 'draft' }));
    const { out } = await watch([items, items], { columns: 80, rows: 10 });
    assert.match(out, /item-5 draft\n44 more lines\. As of [^\n]*\nESC\[8A/);
  });

  it('watchList: the service is away for a moment → one note, and it goes on; a refusal → the error', async () => {
    const away = new UnreachableError('away');
    const { out, err } = await watch([[a], away, away, [b]]);
    assert.equal(out, 'added a draft\nadded b draft\nremoved a draft\n');
    assert.equal(err, 'The service does not answer; trying again.\n');
    const refusal = {
      code: 'no',
      sentence: 'No.',
      problems: [],
      requestId: undefined,
      retryAfterS: undefined,
    };
    const refused = new RefusedError({ ...refusal, status: 403 }, 'No.');
    await assert.rejects(watch([[a], refused, [b]]), /^CommandError: No\.$/);
  });
});
