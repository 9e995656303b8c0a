/** Samples that are appended one by one, without a boxed number for each and without keeping outgrown buffers. */

const ROOM_FIRST = 32;
/** Up to this length buffers grow fourfold, because each step of an instrument has its own and most have some hundred samples. */
const ROOM_SMALL = 512;

export class SamplePairs {
  private x = new Float64Array(ROOM_FIRST);
  private y = new Float64Array(ROOM_FIRST);
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** The last x; below every number while there is no sample. */
  get lastX(): number {
    return this.count === 0 ? Number.NEGATIVE_INFINITY : this.x[this.count - 1];
  }

  push(x: number, y: number): void {
    if (this.count === this.x.length) {
      const room = this.count < ROOM_SMALL ? 4 * this.count : this.count + (this.count >> 1);
      this.x = resizeArray(this.x, room);
      this.y = resizeArray(this.y, room);
    }
    this.x[this.count] = x;
    this.y[this.count] = y;
    this.count += 1;
  }

  /** Called once, after everything is pushed. */
  build(): { x: Float64Array; y: Float64Array } {
    return { x: resizeArray(this.x, this.count), y: resizeArray(this.y, this.count) };
  }
}

/** Copies the numbers to a buffer of another length and frees the old one at once. */
function resizeArray(values: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  return new Float64Array(values.buffer.transfer(length * Float64Array.BYTES_PER_ELEMENT));
}
