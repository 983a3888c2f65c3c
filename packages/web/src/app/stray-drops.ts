/**
 * Rejects files that are dropped outside a drop target. Otherwise the browser would navigate to the file and unsaved
 * input would be lost. Returns a function that removes the listeners.
 */
export function rejectStrayDrops(): () => void {
  const reject = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files') || isFileField(event.target)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  addEventListener('dragover', reject)
  addEventListener('drop', reject)
  return () => {
    removeEventListener('dragover', reject)
    removeEventListener('drop', reject)
  }
}

/** Returns true for a file input, which the browser fills with the dropped file itself. */
function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'file' && !target.disabled
}
