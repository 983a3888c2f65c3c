let dropped: File | undefined

/** Stores a file that was dropped on the list of reports for the page that imports it. */
export function storeDroppedReport(file: File): void {
  dropped = file
}

/** Returns the stored file. Does not remove it, because a component may call this on every render. */
export const droppedReport = (): File | undefined => dropped

export function clearDroppedReport(): void {
  dropped = undefined
}
