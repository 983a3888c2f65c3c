const focusable =
  ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"], [data-base-ui-focus-guard])'

interface Place {
  element: Element
  /** What the Tab key would have come to after it and before it, the nearest first. */
  after: readonly HTMLElement[]
  before: readonly HTMLElement[]
}

/**
 * Whoever works with the keyboard goes on where he was when what had the focus is taken away, such as a row that was
 * deleted, or disabled, such as a button that has done its work, instead of at the top of the page. Returns what ends it.
 */
export function keepFocus(): () => void {
  /** In a dialog, and below it on the page. */
  let inDialog: Place | undefined
  let onPage: Place | undefined
  let isTouched = false

  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    const dialog = target.closest('[role=dialog], [role=alertdialog], [role=menu]')
    const place = placeOf(target, dialog ?? document.getElementById('root') ?? document.body)
    if (dialog) inDialog = place
    else [onPage, inDialog] = [place, undefined]
  }
  const notePointer = ({ pointerType }: PointerEvent) => {
    isTouched = pointerType === 'touch'
  }
  const restore = () => {
    const last = inDialog ?? onPage
    const isLost = document.activeElement === null || document.activeElement === document.body
    // On a touch screen the focus of a field would open a keyboard that nobody asked for.
    if (!isLost || !last || isThere(last.element) || isTouched) return
    const places = [inDialog, onPage].filter((place) => place !== undefined)
    const next = places.flatMap(nearest).find(isThere)
    const target = next ?? document.getElementById('main')
    if (target instanceof HTMLElement) target.focus({ preventScroll: next === undefined })
  }
  // Dialogs give the focus back themselves, a moment after they are gone.
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(restore, 50)
  })
  addEventListener('focusin', remember)
  addEventListener('pointerdown', notePointer, true)
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  return () => {
    clearTimeout(timer)
    observer.disconnect()
    removeEventListener('focusin', remember)
    removeEventListener('pointerdown', notePointer, true)
  }
}

function placeOf(element: Element, scope: Element): Place {
  const all = [...scope.querySelectorAll<HTMLElement>(focusable)]
  const index = all.findIndex((other) => element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
  const end = index < 0 ? all.length : index
  const before = all.slice(0, end).filter((other) => other !== element)
  return { element, after: all.slice(end), before: before.reverse() }
}

/** From a button that can be pressed no more one goes back to its form; from a row that is gone on to the next. */
function nearest({ element, after, before }: Place): Element[] {
  return element.isConnected ? [element, ...before, ...after] : [...after, ...before]
}

function isThere(element: Element): boolean {
  return element.isConnected && element.matches(focusable) && element.checkVisibility() && !element.closest('[inert]')
}
