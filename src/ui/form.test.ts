import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderLabForm, renderSelect } from './form.ts';
import { markup } from './markup.ts';

const FIELDS = [{ name: 'role', label: 'Role' }];
const action = '/organization/members/role';

const renderFor = (userId: string, refusedId: string): string =>
  renderLabForm(
    {
      session: null,
      remark: {
        action,
        message: 'The last administrator stays.',
        problems: [],
        typed: { user_id: refusedId, role: 'viewer' },
        markSaid: () => undefined,
      },
    },
    { action, button: 'Change', fields: FIELDS, hidden: { user_id: userId } },
  ).text;

test('form: two forms with one address → the refusal and what was typed stand in the form that was sent, by its hidden fields', () => {
  assert.match(renderFor('one', 'one'), /role="alert">The last administrator stays.*value="viewer"/s);
  assert.doesNotMatch(renderFor('two', 'one'), /role="alert"|value="viewer"/);
});

test('form: two forms with one address → the fields of each have ids of their own', () => {
  const ids = ['one', 'two'].map((id) => /<input [^>]*id="(?<id>[^"]+)"/.exec(renderFor(id, ''))?.groups?.id);
  assert.equal(new Set(ids).size, 2);
});

test('form: neighbors that stand beside each other → one row; a field apart → none', () => {
  const fields = [
    { name: 'role', label: 'Role', isPaired: true },
    { name: 'end', label: 'End', isPaired: true },
    { name: 'note', label: 'Note' },
  ];
  const { length } = renderLabForm(
    { session: null, remark: undefined },
    { action, button: 'Save', fields },
  ).text.split('class="row"');
  assert.equal(length, 2);
});

test('form: boxes of a refused form → as they were ticked, and the problem with the group', () => {
  const fields = [
    {
      name: 'roles',
      label: 'Roles',
      kind: 'boxes',
      ticked: ['a'],
      options: [
        ['a', 'A'],
        ['b', 'B'],
      ],
    },
  ] as const;
  const remark = {
    action,
    message: 'no',
    problems: [{ path: '/body/roles/0', message: 'is unknown' }],
    typed: { 'roles:b': 'yes' },
    markSaid: () => undefined,
  };
  const text = renderLabForm({ session: null, remark }, { action, button: 'Save', fields }).text;
  assert.match(text, /name="roles:a" value="yes">/);
  assert.match(text, /name="roles:b" value="yes" checked>/);
  assert.match(
    text,
    /<fieldset[^>]*aria-describedby="(?<id>[^"]+)".*<ul class="problem" id="\k<id>"><li>Is unknown\./s,
  );
});

test('form: a single box that was refused → the problem stands beside it, without the null that nobody types', () => {
  const fields = [{ name: 'listed', label: 'Listed', kind: 'check' }] as const;
  const problems = [{ path: 'body.listed', message: 'must be true or null' }];
  const remark = { action, message: 'no', problems, typed: {}, markSaid: () => undefined };
  const text = renderLabForm({ session: null, remark }, { action, button: 'Save', fields }).text;
  assert.match(text, /Nothing was changed; see below.*<ul class="problem"[^>]*><li>Must be true\.</s);
});

test('form: one problem has a field and another none → the first beside its field, the second above the form', () => {
  let isSaid = false;
  const problems = [
    { path: 'role', message: 'must be a role' },
    { path: 'body.delivery', message: 'must be mail or link' },
  ];
  const markSaid = (): void => {
    isSaid = true;
  };
  const remark = { action, message: 'no', problems, typed: {}, markSaid };
  const { text } = renderLabForm({ session: null, remark }, { action, button: 'Change', fields: FIELDS });
  assert.match(text, /role="alert">Nothing was changed; see below\. body\.delivery must be mail or link\.</);
  assert.match(text, /role-problem"><li>Must be a role\.</);
  assert.ok(isSaid, 'the remark knows that the form says it');
  const other = { action: '/elsewhere', button: 'Send' };
  isSaid = false;
  renderLabForm({ session: null, remark }, other);
  assert.ok(!isSaid, 'another form does not say it');
});

test('form: choices of groups → each group once, in the order in which they come', () => {
  const options = [
    ['', 'None'],
    ['a', 'A', 'First'],
    ['b', 'B', 'Second'],
    ['c', 'C', 'First'],
  ] as const;
  assert.equal(
    renderSelect(markup`id="x"`, 'b', options).text,
    '<select id="x"><option value="">None</option><optgroup label="First"><option value="a">A</option><option value="c">C</option></optgroup><optgroup label="Second"><option value="b" selected>B</option></optgroup></select>',
  );
});
