const focusable =
  ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"], [data-base-ui-focus-guard])'

/**
 * Elements that may receive focus automatically, because Enter on them destroys nothing. Buttons need the attribute
 * `data-focus-safe`, since the button after "Save" may be "Remove". A field is safe only within its own form:
 * elsewhere it
 * would capture the letters of keyboard shortcuts.
 */
const safe = ':is(a[href], [role=grid], [data-focus-safe])'
const field = ':is(select, textarea, input:not([type=submit], [type=button]))'

interface Place {
  element: Element
  /** Path of the page that the element was on. */
  path: string
  /** Identifies the element to the user by tag and name; undefined when it is not unique nearby. */
  signature: string | undefined
  /** The form, section, and page or dialog that contain the element, innermost first. */
  areas: readonly Element[]
  /** Focusable elements after and before the element in tab order, nearest first. */
  after: readonly HTMLElement[]
  before: readonly HTMLElement[]
}

/**
 * Restores keyboard focus when the focused element is removed (such as a deleted row) or disabled (such as a submitted
 * button). Focus moves to the same control if it was rendered again, otherwise to a safe element nearby or to the content of
 * a new page, and never to a control with destructive effects. Returns a function that stops the observation.
 */
export function keepFocus(): () => void {
  // The last focused places in the open dialog and on the page below it.
  let inDialog: Place | undefined
  let onPage: Place | undefined
  let isTouched = false

  const recordFocus = ({ target }: FocusEvent) => {
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
    // On a touch screen, focusing a field would open the on-screen keyboard.
    if (!isLost || !last || isThere(last.element) || isTouched) return
    const places = [inDialog, onPage].filter((place) => place !== undefined)
    const next = places.map(successorOf).find((found) => found !== undefined)
    focusOn(next ?? document.getElementById('main'))
  }
  // Dialogs restore the focus themselves shortly after they close.
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(restore, 50)
  })
  addEventListener('focusin', recordFocus)
  addEventListener('pointerdown', notePointer, true)
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  return () => {
    clearTimeout(timer)
    observer.disconnect()
    removeEventListener('focusin', recordFocus)
    removeEventListener('pointerdown', notePointer, true)
  }
}

function placeOf(element: Element, scope: Element): Place {
  const all = [...scope.querySelectorAll<HTMLElement>(focusable)]
  const index = all.findIndex((other) => element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
  const end = index < 0 ? all.length : index
  const before = all.slice(0, end).filter((other) => other !== element)
  const signature = signatureOf(element)
  return {
    element,
    path: location.pathname,
    signature: all.filter((other) => signatureOf(other) === signature).length === 1 ? signature : undefined,
    areas: [element.closest('form'), element.closest('section'), scope].filter((area) => area !== null),
    after: all.slice(end),
    before: before.reverse(),
  }
}

function signatureOf(element: Element): string {
  const name = element.getAttribute('aria-label') ?? element.textContent?.trim()
  return [element.tagName, element.getAttribute('type'), element.getAttribute('name'), name].join('\n')
}

/** Returns the same control in its new rendering, or a safe element in the smallest remaining area that has one. */
function successorOf({ element, path, signature, areas, after, before }: Place): HTMLElement | undefined {
  const left = areas.filter((area) => area.isConnected)
  if (!element.isConnected) {
    const again = [...(left.at(-1)?.querySelectorAll<HTMLElement>(focusable) ?? [])].filter(
      (other) => signatureOf(other) === signature,
    )
    if (again.length === 1 && again[0] && isThere(again[0])) return again[0]
  }
  // Another page replaced the one with the element: what remains is its frame, such as the header.
  if (path !== location.pathname) return undefined
  // A disabled button yields to its form (backwards); a removed row yields to the next row (forwards).
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
  // Headings are focusable only until they lose this focus.
  const isExtra = !target.matches('[tabindex], a, button, input, select, textarea')
  if (isExtra) target.tabIndex = -1
  target.focus({ preventScroll: target.id === 'main' })
  if (isExtra) target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
}
