/** Expression is captured on the sensors that binding is measured with. */
export function nameBindingInstrument(method: 'bli' | 'spr' | null): string {
  return method === 'spr' ? 'Simulated SPR' : 'Simulated BLI';
}
