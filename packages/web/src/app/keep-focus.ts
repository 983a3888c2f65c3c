const focusable =
  ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"], [data-base-ui-focus-guard])'

/**
 * Where focus may go on its own: Enter on these destroys nothing. A button has to say so itself, since the next one after
 * "Save" may be "Remove". A field is safe for its own form only: elsewhere it would take the letters of shortcuts.
 */
const safe = ':is(a[href], [role=grid], [data-focus-safe])'
const field = ':is(select, textarea, input:not([type=submit], [type=button]))'

interface Place {
  element: Element
  /** What the element is to the user; undefined when others nearby look the same. */
  likeness: string | undefined
  /** The form, the section and the page or dialog that the element is in, the innermost first. */
  areas: readonly Element[]
  /** What the Tab key would have come to after it and before it, the nearest first. */
  after: readonly HTMLElement[]
  before: readonly HTMLElement[]
}

/**
 * Keeps the keyboard user's place when the focused element is removed, such as a deleted row, or disabled, such as a button
 * that has done its work. Focus goes to the same control if it was rendered anew, else to a safe place nearby, and
 * never to a control that might destroy something. Returns a function that ends it.
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
    // On a touch screen the focus of a field would open the keyboard.
    if (!isLost || !last || isThere(last.element) || isTouched) return
    const places = [inDialog, onPage].filter((place) => place !== undefined)
    const next = places.map(successorOf).find((found) => found !== undefined)
    focusOn(next ?? document.getElementById('main'))
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
  const likeness = likenessOf(element)
  return {
    element,
    likeness: all.filter((other) => likenessOf(other) === likeness).length === 1 ? likeness : undefined,
    areas: [element.closest('form'), element.closest('section'), scope].filter((area) => area !== null),
    after: all.slice(end),
    before: before.reverse(),
  }
}

function likenessOf(element: Element): string {
  const name = element.getAttribute('aria-label') ?? element.textContent?.trim()
  return [element.tagName, element.getAttribute('type'), element.getAttribute('name'), name].join('\n')
}

/** The same control in its new rendering, or a safe place in the smallest area that is left and has one. */
function successorOf({ element, likeness, areas, after, before }: Place): HTMLElement | undefined {
  const left = areas.filter((area) => area.isConnected)
  if (!element.isConnected) {
    const again = [...(left.at(-1)?.querySelectorAll<HTMLElement>(focusable) ?? [])].filter(
      (other) => likenessOf(other) === likeness,
    )
    if (again.length === 1 && again[0] && isThere(again[0])) return again[0]
  }
  // From a disabled button back to its form; from a removed row on to the next one.
  const nearest = element.isConnected ? [...before, ...after] : [...after, ...before]
  const candidates = nearest.filter(isThere)
  for (const area of left) {
    const isSafe = (other: Element) => other.matches(safe) || (area.tagName === 'FORM' && other.matches(field))
    const found = candidates.find((other) => area.contains(other) && isSafe(other))
    const heading = area.tagName === 'SECTION' ? area.querySelector<HTMLElement>('h2, h3') : null
    if (found ?? heading) return found ?? heading ?? undefined
  }
  return undefined
}

function isThere(element: Element): boolean {
  return element.isConnected && element.matches(focusable) && element.checkVisibility() && !element.closest('[inert]')
}

function focusOn(target: HTMLElement | null): void {
  if (!target) return
  // Headings take focus for this once only.
  const isExtra = !target.matches('[tabindex], a, button, input, select, textarea')
  if (isExtra) target.tabIndex = -1
  target.focus({ preventScroll: target.id === 'main' })
  if (isExtra) target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
}
