import { store } from '../../data/store.ts'

/**
 * Keys pressed after a dialog was opened and before it has the focus. They are held and then passed to the dialog in their
 * order, so that no key acts on the page behind it.
 */
interface HeldKeys {
  held: KeyboardEvent[]
  /** Number of dialogs that were opened and do not have the focus yet. */
  opening: number
  isReplaying: boolean
  /** Closes the dialog that was opened last. */
  cancel: () => void
}

const keys = store.slot((): HeldKeys => ({ held: [], opening: 0, isReplaying: false, cancel: () => {} }))

/** Holds keys until the returned function is called, or until a dialog takes the focus. */
export function holdKeys(onEscape: () => void): () => void {
  const state = keys.get()
  let isOpening = true
  state.opening++
  state.cancel = onEscape
  const end = () => {
    if (!isOpening) return
    isOpening = false
    state.opening--
    document.removeEventListener('focusin', noticeFocus)
    void replay(state)
  }
  const noticeFocus = () => isInDialog(document.activeElement) && end()
  addEventListener('keydown', hold, true)
  document.addEventListener('focusin', noticeFocus)
  noticeFocus()
  return end
}

function hold(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, isTrusted } = event
  const isModified = (ctrlKey || metaKey || altKey) && key !== 'Enter'
  if (!isTrusted || isModified || modifiers.has(key)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  const state = keys.get()
  if (key !== 'Escape' || state.opening === 0) return void state.held.push(event)
  state.held = []
  state.cancel()
}

const modifiers = new Set(['Shift', 'Control', 'Meta', 'Alt', 'CapsLock'])

/** Presses the held keys, one per frame, so that each acts on what the one before it rendered. */
async function replay(state: HeldKeys): Promise<void> {
  if (state.isReplaying) return
  state.isReplaying = true
  for (let next = state.held.shift(); next; next = state.opening === 0 ? state.held.shift() : undefined) {
    press(next)
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    // The place of the focus after these keys is decided by the browser alone.
    if (next.key === 'Tab' || next.key.startsWith('Arrow')) state.held = []
  }
  state.isReplaying = false
  if (state.opening === 0) removeEventListener('keydown', hold, true)
}

/** Dispatches a key again, and does what the browser does only for keys of the user. */
function press({ key, code, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const target = document.activeElement ?? document.body
  const again = { key, code, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true }
  if (!target.dispatchEvent(new KeyboardEvent('keydown', again))) return
  if (target instanceof HTMLButtonElement && (key === 'Enter' || key === ' ')) target.click()
  else if (target instanceof HTMLInputElement && key === 'Enter') target.form?.requestSubmit()
  else if (key.length === 1 && target.matches(textFields)) document.execCommand('insertText', false, key)
}

const textFields = 'input:not([type=radio], [type=checkbox]), textarea'

const isInDialog = (element: Element | null) => element?.closest('[role=dialog], [role=alertdialog]') != null
