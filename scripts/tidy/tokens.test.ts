import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenize } from './tokens.ts';

function read(text: string): string[] {
  return tokenize(text).map((token) => `${token.kind} ${token.text}`);
}

test('tokens: comments, strings and regular expressions → hide their content', () => {
  assert.deepEqual(read(`a /* 'b' */ = "c\\"d"; // e\nreturn /[/'"]\\/f/g;`), [
    'word a',
    'mark =',
    'string c\\"d',
    'mark ;',
    'word return',
    String.raw`regex [/'"]\/f`,
    'mark ;',
  ]);
});

test('tokens: a slash after a value → division', () => {
  assert.deepEqual(read('(a) / b / c[0] / 2'), [
    'mark (',
    'word a',
    'mark )',
    'mark /',
    'word b',
    'mark /',
    'word c',
    'mark [',
    'number 0',
    'mark ]',
    'mark /',
    'number 2',
  ]);
});

test('tokens: code inside a template at any depth → read as code', () => {
  assert.deepEqual(read('`a${{ b: `c${d}` }}e`;'), [
    'template a${}e',
    'mark ${',
    'mark {',
    'word b',
    'mark :',
    'template c${}',
    'mark ${',
    'word d',
    'mark }',
    'template-end `',
    'mark }',
    'mark }',
    'template-end `',
    'mark ;',
  ]);
});

test('tokens: comments and templates over several lines → lines are counted through them', () => {
  const tokens = tokenize('#!/usr/bin/env node\n/*\n*/ a `\n${\nb}\n` c');
  const findLine = (text: string): number | undefined => tokens.find((token) => token.text === text)?.line;
  assert.deepEqual([findLine('a'), findLine('b'), findLine('c')], [3, 5, 6]);
});
