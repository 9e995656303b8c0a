/** What a control chart can show: the affinity, the melting temperature, or the signal of a control. */
export const controlQuantities = ['kd', 'tm', 'signal'] as const;

export type ControlQuantity = (typeof controlQuantities)[number];
