import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderLabForm } from './form.ts';

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
  const remark = { action, message: 'no', problems, typed: {} };
  const text = renderLabForm({ session: null, remark }, { action, button: 'Save', fields }).text;
  assert.match(text, /Nothing was changed; see below.*<ul class="problem"[^>]*><li>Must be true\.</s);
});
