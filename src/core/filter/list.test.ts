import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compileList,
  createCursorSigner,
  describeList,
  FilterError,
  listFields,
  parseListQuery,
  type FilterErrorCode,
  type RawQuery,
} from './index.ts';

const fields = listFields({
  name: 'experiments',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'e.id' },
    name: { kind: 'text', sql: 'e.name', nullable: true, search: true },
    code: { kind: 'text', sql: 'e.code', search: true },
    status: { kind: 'enum', sql: 'e.status', values: ['draft', 'quote_sent', 'x402-exact'] },
    created_at: { kind: 'timestamp', sql: 'e.created_at' },
    due: { kind: 'date', sql: 'e.due', nullable: true },
    replicates: { kind: 'int', sql: 'e.n_replicates' },
    score: { kind: 'float', sql: 'e.score', nullable: true },
    paid: { kind: 'bool', sql: 'e.paid' },
    parameters: {
      kind: 'json',
      sql: 'e.parameters',
      members: { owner: 'guard(e.parameters)' },
      nullable: true,
    },
    aa_string: { kind: 'text', sql: 'e.aa_string', filter: false, sort: false, search: true },
  },
});
const cursors = createCursorSigner(Buffer.alloc(32, 3));

function compile(raw: RawQuery, firstParameter = 1) {
  return compileList(parseListQuery(fields, raw, { cursors, reserved: ['detailed'] }), { firstParameter });
}

function expectRefused(raw: RawQuery, code: FilterErrorCode, path: string, says: RegExp): void {
  assert.throws(
    () => parseListQuery(fields, raw, { cursors, reserved: ['detailed'] }),
    (error) => {
      assert.ok(error instanceof FilterError, String(error));
      assert.equal(error.code, code, error.message);
      assert.equal(error.path, path);
      assert.match(error.message, says);
      return true;
    },
  );
}

describe('list queries as statements', () => {
  it('list query: no parameters → the newest 50', () => {
    const list = compile({}, 2);
    assert.equal(list.where, '(true)');
    assert.equal(list.pageWhere, '(true)');
    assert.equal(list.orderBy, '(e.created_at) desc, (e.id) desc');
    assert.equal(list.limitOffset, 'limit $2::int8 offset $3::int8');
    assert.deepEqual(list.values, ['51', '0']);
  });

  it('list query: a filter → parameters are numbered from the first free one', () => {
    const list = compile(
      { filter: 'and(eq(status,QuoteSent),gte(created_at,2026-01-01))', limit: 10, offset: 20 },
      3,
    );
    assert.equal(list.where, '((((e.status) = $3::text) and ((e.created_at) >= $4::timestamptz)))');
    assert.deepEqual(list.values, ['quote_sent', '2026-01-01T00:00:00.000000Z', '11', '20']);
    assert.deepEqual(list.whereValues, list.values.slice(0, 2));
  });

  it('list query: the same shape with other values → the same SQL text', () => {
    const one = compile({ filter: 'in(status,draft)', search: 'a', sort: '-name' });
    const other = compile({
      filter: 'in(status,draft,quote_sent,draft)',
      search: '%',
      sort: 'name:desc',
      limit: 3,
    });
    for (const part of ['where', 'pageWhere', 'orderBy', 'keyColumn', 'limitOffset'] as const) {
      assert.equal(one[part], other[part]);
    }
  });

  it('list query: a set and a substring → one array, and every character is literal', () => {
    const list = compile({ filter: String.raw`and(in(replicates,1,2),contains(name,'50%_\\'))` });
    assert.match(list.where, /\(e\.n_replicates\) = any\(\$1::int8\[\]\)/);
    assert.deepEqual(list.whereValues, [['1', '2'], String.raw`%50\%\_\\%`]);
  });

  it('list query: sort by text → by code point, NULL last in both directions, the key at the end', () => {
    assert.equal(
      compile({ sort: 'name,-score,desc(code)' }).orderBy,
      '(e.name) collate "C" asc nulls last, (e.score) desc nulls last, (e.code) collate "C" desc, (e.id) desc',
    );
    assert.equal(compile({ sort: 'id' }).orderBy, '(e.id) asc');
  });

  it('list query: at(…) of a member with an expression of its own → that one, at any depth; of another → the field', () => {
    const of = (filter: string) => compile({ filter }).where;
    assert.match(of('eq(at(at(parameters,owner),name),x)'), /\(\(guard\(e\.parameters\)\) #>> /);
    for (const filter of ['eq(at(parameters,name),x)', 'eq(at(at(parameters,name),owner),x)'])
      assert.match(of(filter), /\(\(e\.parameters\) #>> /);
  });

  it('list query: sort by at(…) without a cast → by number, then by text', () => {
    const { orderBy, values } = compile({ sort: 'desc(at(at(parameters,buffer),ph))' });
    assert.match(orderBy, /float8 end\) desc nulls last, .* collate "C" desc nulls last, \(e\.id\) desc$/);
    assert.deepEqual(values[0], ['buffer', 'ph']);
  });

  it('list query: search → looks into every searchable field', () => {
    assert.equal(
      compile({ search: 'b_1' }).where,
      '(((e.name) ilike $1::text or (e.code) ilike $1::text or (e.aa_string) ilike $1::text))',
    );
    assert.equal(compile({ search: '' }).where, '(true)');
  });
});

describe('comparisons as query parameters', () => {
  it('list parameters: several comparisons beside a filter → joined by AND', () => {
    const list = compile({
      filter: 'eq(paid,true)',
      status: 'Draft',
      'geq(created_at)': '2026-01-01',
      'lss(float(at(parameters,ph)))': '7',
      'equ(name)': 'null',
    });
    assert.equal(list.where.split(' and ').length, 6);
    assert.deepEqual(list.whereValues, ['true', 'draft', '2026-01-01T00:00:00.000000Z', ['ph'], '7', 'null']);
  });

  it('list parameters: a repeated equality → any of the values; other comparisons → all of them', () => {
    assert.match(compile({ status: ['draft', 'QuoteSent'] }).where, /= any\(\$1::text\[\]\)/);
    assert.match(
      compile({ 'neq(status)': ['draft', 'quote_sent'] }).where,
      /<> \$1::text\) and .*<> \$2::text/,
    );
  });

  it('list parameters: numbers and booleans of a tool call → accepted', () => {
    assert.deepEqual(compile({ replicates: 3, paid: true, limit: 5 }).values, ['3', 'true', '6', '0']);
  });

  it('unknown_parameter: an unknown name → refused with the nearest known one', () => {
    expectRefused({ limt: '5' }, 'unknown_parameter', 'limt', /Did you mean "limit"\?/);
    expectRefused({ staus: 'draft' }, 'unknown_parameter', 'staus', /Did you mean "status"\?/);
    expectRefused(
      { 'gte(created_at)': '2026-01-01' },
      'unknown_parameter',
      'gte(created_at)',
      /Did you mean "geq\(created_at\)"/,
    );
    expectRefused({ detailde: 'true' }, 'unknown_parameter', 'detailde', /Did you mean "detailed"\?/);
    expectRefused({ aa_string: 'MK' }, 'unknown_parameter', 'aa_string', /not a parameter of this list/);
    expectRefused({ __proto: '1' }, 'unknown_parameter', '__proto', /not a parameter/);
    assert.ok(compile({ detailed: 'true', status: undefined }));
  });

  it('filter_syntax, limit_out_of_range: filter or limit given twice → refused', () => {
    expectRefused({ filter: ['eq(paid,true)', 'eq(paid,true)'] }, 'filter_syntax', 'filter', /only once/);
    expectRefused({ limit: ['5', '6'] }, 'limit_out_of_range', 'limit', /only once/);
  });

  it('filter_too_long: more than 32 values of one parameter → refused', () => {
    expectRefused(
      { 'neq(name)': Array.from({ length: 33 }, () => 'x') },
      'filter_too_long',
      'neq(name)',
      /more than 32/,
    );
  });

  it('filter_unknown_field, filter_syntax: a bad field inside the name of a parameter → refused', () => {
    expectRefused(
      { 'geq(craeted_at)': '1' },
      'filter_unknown_field',
      'geq(craeted_at)',
      /Did you mean "created_at"/,
    );
    expectRefused({ 'geq(name': '1' }, 'filter_syntax', 'geq(name', /to close the parameter name/);
    expectRefused({ 'geq(name)x': '1' }, 'filter_syntax', 'geq(name)x', /nothing after/);
  });
});

describe('refused list queries', () => {
  it('filter_unknown_field, sort_unknown_field: an unknown or hidden field → refused with the allowed ones', () => {
    expectRefused(
      { filter: 'eq(statu,draft)' },
      'filter_unknown_field',
      'filter',
      /Did you mean "status"\? Allowed are id, name/,
    );
    expectRefused(
      { filter: 'eq(constructor,1)' },
      'filter_unknown_field',
      'filter',
      /cannot be filtered on "constructor"/,
    );
    expectRefused({ filter: 'eq(aa_string,MK)' }, 'filter_unknown_field', 'filter', /cannot be filtered on/);
    expectRefused({ sort: '-aa_string' }, 'sort_unknown_field', 'sort', /cannot be sorted by "aa_string"/);
  });

  it('filter_type: values and casts that do not fit the field → refused', () => {
    const cases: [string, RegExp][] = [
      ['eq(id,abc)', /id takes a UUID/],
      ['eq(status,drat)', /Did you mean "draft"\? Allowed are draft, quote_sent, x402-exact/],
      ['gt(created_at,2026-02-31)', /created_at takes a time/],
      ['eq(replicates,9223372036854775808)', /whole number of at most 64 bits/],
      ['gt(score,NaN)', /finite number/],
      ['eq(paid,yes)', /true or false/],
      ['gt(paid,true)', /bool and has no greater or less/],
      ['between(status,draft,draft)', /enum and has no greater or less/],
      ['contains(replicates,1)', /int and is not text/],
      ['eq(name,null)', /write is_null\(name\)/],
      ['eq(parameters,1)', /compare a key of it/],
      ['is_null(float(parameters))', /name a key of it/],
      ['eq(at(name,x),1)', /at\(…\) reads a key of a JSON field \(parameters\); name is text/],
      ['eq(at(float(at(parameters,x)),y),1)', /reads a key of a JSON field/],
      ['eq(timestamp(replicates),2026-01-01)', /cannot be cast to timestamp; possible are text, float, int/],
      ['eq(float(paid),1)', /cannot be cast to float/],
      ['eq(replicates,int(x))', /"x" is not a whole number/],
      ['gt(at(parameters,ph),date(2026-99-01))', /is not a date/],
    ];
    for (const [filter, says] of cases) expectRefused({ filter }, 'filter_type', 'filter', says);
    expectRefused({ sort: '-parameters' }, 'filter_type', 'sort', /sort by a key of it/);
  });

  it('filter_too_deep: three casts around one another → refused', () => {
    expectRefused(
      { filter: 'is_null(int(text(float(name))))' },
      'filter_too_deep',
      'filter',
      /at most two casts/,
    );
  });

  it('limit_out_of_range: a limit outside 1 to 100 → refused', () => {
    for (const limit of ['0', '101', '-1', 'x', '1.5', '', ' 5', '1e1', '99999999999', 0, 101, 1.5]) {
      expectRefused({ limit }, 'limit_out_of_range', 'limit', /whole number from 1 to 100/);
    }
    assert.equal(compile({ limit: '100' }).limit, 100);
    assert.equal(compile({ limit: 1 }).limit, 1);
  });

  it('offset_out_of_range: an offset outside 0 to a million → refused', () => {
    for (const offset of ['-1', 'x', '1000001', '9999999999999']) {
      expectRefused({ offset }, 'offset_out_of_range', 'offset', /from 0 to 1000000.*next/);
    }
    assert.equal(compile({ offset: '1000000' }).offset, 1_000_000);
  });

  it('search_invalid, filter_too_long: a search with NUL, or of more than 4096 bytes → refused', () => {
    expectRefused({ search: 'a\u0000' }, 'search_invalid', 'search', /NUL/);
    expectRefused({ search: 'a'.repeat(5_000) }, 'filter_too_long', 'search', /4096 bytes/);
  });
});

describe('paging by cursor', () => {
  const createRow = (list_key: string) => ({ list_key });
  const key = '["2026-01-01T00:00:00.000001","0190b5a0-0000-7000-8000-000000000001"]';
  const getNextCursor = (raw: RawQuery, listKey: string): string => {
    const list = compile({ ...raw, limit: 1 });
    const { items, next } = list.buildPage([createRow(listKey), createRow(listKey)]);
    assert.equal(items.length, 1);
    return next ?? assert.fail('no next cursor');
  };

  it('cursor: one sort direction → one row comparison, which an index serves', () => {
    const cursor = getNextCursor({}, key);
    const list = compile({ cursor }, 2);
    assert.equal(
      list.pageWhere,
      `((((e.created_at), (e.id)) < (($2::timestamp at time zone 'UTC'), $3::uuid)))`,
    );
    assert.equal(list.where, '(true)');
    assert.deepEqual(list.values.slice(0, 2), JSON.parse(key));
  });

  it('cursor: mixed directions and NULLs → compared key by key', () => {
    const sort = 'name,-code';
    const after = (listKey: string) => compile({ sort, cursor: getNextCursor({ sort }, listKey) });
    const id = '0190b5a0-0000-7000-8000-000000000001';
    assert.match(
      after(JSON.stringify(['b', 'c', id])).pageWhere,
      /"C" > \$1::text or \(e\.name\) is null or/,
    );
    const nulls = after(JSON.stringify([null, 'c', id]));
    assert.match(nulls.pageWhere, /\(e\.name\) is null and/);
    assert.deepEqual(nulls.values.slice(0, 2), ['c', id]);
  });

  it('cursor: the last page, or no signer → no next', () => {
    assert.equal(compile({ limit: 2 }).buildPage([createRow(key), createRow(key)]).next, undefined);
    const unsigned = compileList(parseListQuery(fields, { limit: 1 }));
    assert.equal(unsigned.buildPage([createRow(key), createRow(key)]).next, undefined);
    assert.throws(() => parseListQuery(fields, { cursor: 'x' }), /not a parameter of this list/);
  });

  it('cursor_invalid: another sort, filter or binding → refused', () => {
    const cursor = getNextCursor({}, key);
    expectRefused({ cursor, sort: 'created_at' }, 'cursor_invalid', 'cursor', /another sort/);
    expectRefused({ cursor, filter: 'eq(paid,true)' }, 'cursor_invalid', 'cursor', /another filter/);
    expectRefused({ cursor, search: 'x' }, 'cursor_invalid', 'cursor', /another filter/);
    expectRefused({ cursor: `${cursor}x` }, 'cursor_invalid', 'cursor', /not a cursor of this service/);
    expectRefused({ cursor, offset: 5 }, 'offset_out_of_range', 'offset', /cannot be combined with cursor/);
    assert.throws(
      () => parseListQuery(fields, { cursor }, { cursors, cursorList: 'other' }),
      /another filter/,
    );
    assert.ok(compile({ cursor, sort: ' created_at : desc ', limit: 7 }));
  });

  it('cursor_invalid: keys that no longer fit the sort → refused before the database', () => {
    for (const stale of [
      '["x"]',
      '[null,"0190b5a0-0000-7000-8000-000000000001"]',
      '["2026-01-01","no uuid"]',
    ]) {
      expectRefused({ cursor: getNextCursor({}, stale) }, 'cursor_invalid', 'cursor', /earlier version/);
    }
  });
});

describe('declarations of lists', () => {
  const declare = (more: Partial<Parameters<typeof listFields>[0]>) => () =>
    listFields({
      name: 'x',
      key: 'id',
      defaultSort: 'id',
      fields: { id: { kind: 'int', sql: 'id' } },
      ...more,
    });

  it('list declaration: a declaration that cannot work → refused at the start', () => {
    assert.throws(declare({ key: 'nope' }), /key must be a declared field/);
    assert.throws(declare({ defaultSort: 'nope' }), /default order names nope/);
    const id = { kind: 'int', sql: 'id' } as const;
    assert.throws(declare({ fields: { id, Bad: id } }), /snake_case/);
    assert.throws(declare({ fields: { id, e: { kind: 'enum', sql: 'e' } } }), /values belong to kind enum/);
    assert.throws(declare({ fields: { id, n: { kind: 'int', sql: 'n', search: true } } }), /only text/);
    const twins = { kind: 'enum', sql: 'e', values: ['a_b', 'ab'] } as const;
    assert.throws(declare({ fields: { id, e: twins } }), /fold to one spelling/);
  });

  it('list declaration: described for the API document → fields with their kinds and comparisons', () => {
    const { filter, sort, search } = describeList(fields);
    assert.match(filter, /`status`: enum \(draft, quote_sent, x402-exact\); eq neq in/);
    assert.doesNotMatch(filter, /aa_string/);
    assert.match(sort, /default `-created_at`/);
    assert.equal(search, 'Substring, any case, of name or code or aa_string.');
  });
});
