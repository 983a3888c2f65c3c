let dropped: File | undefined

/** Hands a file that was dropped on the list of reports to the screen that imports it. */
export function handOver(file: File): void {
  dropped = file
}

/** Returns the file that was handed over; the screen calls it again whenever it renders, so taking is a step of its own. */
export const handedOver = (): File | undefined => dropped

export function forgetHandedOver(): void {
  dropped = undefined
}
