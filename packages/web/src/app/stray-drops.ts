/**
 * Rejects files that are dropped where nothing takes them. Without this the browser leaves the page to show the file, and
 * whatever was typed is lost. Returns a function that ends it.
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

/** The browser itself puts a dropped file into one of these. */
function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'file' && !target.disabled
}
