import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeColumn, takeCopy, takeScaled, takeZeros, withColumnRoom } from './column-room.ts';

test('columns of a replicate: taken one after another → they share memory, and none overlaps another', () => {
  withColumnRoom(() => {
    const one = takeColumn(3).fill(1);
    const other = takeZeros(2);
    assert.equal(one.buffer, other.buffer);
    assert.deepEqual([...one, ...other], [1, 1, 1, 0, 0]);
    const copy = takeCopy(Float64Array.of(1, 2, 3, 4), 1, 3);
    assert.deepEqual([...copy, ...takeScaled(copy, 10)], [2, 3, 20, 30]);
  });
});

test('columns of a replicate: the next one → gets the same memory, zeros where it asks for them', () => {
  const first = withColumnRoom(() => takeColumn(4).fill(7));
  withColumnRoom(() => {
    const second = takeZeros(4);
    assert.equal(second.byteOffset, first.byteOffset);
    assert.deepEqual([...first], [0, 0, 0, 0]);
  });
});

test('columns of a replicate: work that fails → the memory is free again', () => {
  const read = () => withColumnRoom(() => takeColumn(4).byteOffset);
  const before = read();
  assert.throws(() =>
    withColumnRoom(() => {
      takeColumn(4);
      throw new Error('no fit');
    }),
  );
  assert.equal(read(), before);
});

test('columns of a replicate: outside, or larger than the room → memory of their own', () => {
  const alone = takeZeros(5);
  assert.equal(alone.buffer.byteLength, alone.byteLength);
  withColumnRoom(() => {
    const large = takeColumn(3_000_000);
    assert.equal(large.buffer.byteLength, large.byteLength);
    assert.notEqual(takeColumn(5).buffer.byteLength, 5 * Float64Array.BYTES_PER_ELEMENT);
  });
});
