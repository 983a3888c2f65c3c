/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { quiet, visit } from './web.ts'

const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
/** Buttons that end the session, or leave the page for the clipboard or a file. */
const skipped = /^(Sign out|Sign in with|Copy|Download|Stop using)/

/**
 * Presses every button of a page that may open something, and calls `check` while a dialog, a menu or a form that it opened
 * is shown. Of buttons that differ only by a name or a number it presses one, once for all pages with the same `pressed`. The page
 * must not send changes.
 */
export async function openOverlays(
  page: Page,
  pressed: Set<string>,
  check: (opener: string, within: string) => Promise<void>,
) {
  const address = new URL(page.url()).pathname
  for (const { name, kind } of await buttonsOf(page)) {
    if (pressed.has(kind)) continue
    pressed.add(kind)
    if (!(await press(page, name))) continue
    const fields = await fieldCount(page)
    await untilRendered(page)
    if (await isOpen(page)) {
      await check(name, overlays)
      await openItems(page, { name, kind }, pressed, check)
    } else if ((await fieldCount(page)) !== fields) {
      // What a sticky toolbar covers would count as too small.
      await page.evaluate(() => scrollTo(0, 0))
      await check(name, 'main')
    }
    await restore(page, address)
  }
}

/** Chooses every item of an open menu that opens a dialog. */
async function openItems(
  page: Page,
  { name, kind }: { name: string; kind: string },
  pressed: Set<string>,
  check: (opener: string, within: string) => Promise<void>,
) {
  const address = new URL(page.url()).pathname
  for (const item of await page.getByRole('menuitem').allInnerTexts()) {
    const key = `${kind} › ${item}`
    if (pressed.has(key) || skipped.test(item)) continue
    pressed.add(key)
    if (!(await isOpen(page)) && !(await press(page, name))) continue
    await page.getByRole('menuitem', { name: item, exact: true }).click()
    await untilRendered(page)
    if (await isOpen(page)) await check(`${name} › ${item}`, overlays)
    await restore(page, address)
  }
}

/** Returns the names of the visible buttons, except those that submit a form, are on or off, or sort a column. */
function buttonsOf(page: Page): Promise<{ name: string; kind: string }[]> {
  return page.evaluate((skipped) => {
    const all = [...document.querySelectorAll<HTMLButtonElement>('main button, header button')]
    return all
      .filter((button) => button.checkVisibility() && !button.disabled && button.type !== 'submit')
      .filter((button) => !button.ariaPressed && !button.closest('[role=columnheader], [role=option], a'))
      .map((button) => {
        const copy = button.cloneNode(true) as HTMLElement // a clone of an element is one
        for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove()
        return { button, name: (button.ariaLabel ?? copy.textContent).trim().replace(/\s+/g, ' ') }
      })
      .filter(({ name }) => name && !new RegExp(skipped).test(name))
      .map(({ button, name }) => {
        const isRepeated = button.closest('tr, li, [role=row], article') !== null
        const [first = '', ...rest] = name.replace(/[\d,.]+/g, '#').split(/:? /)
        // A single word means something else on another page.
        const place = location.pathname.replace(/\d+/, '#').split('/').slice(-2).join('/')
        return {
          name,
          kind: isRepeated || rest.length === 0 ? `${place} ${first}` : [first, ...rest.slice(0, 2)].join(' '),
        }
      })
  }, skipped.source)
}

/** Presses the first button with this name. Returns false if it is not there any more. */
async function press(page: Page, name: string): Promise<boolean> {
  const button = page
    .locator('main, header')
    .getByRole('button', { name, exact: true })
    .filter({ visible: true })
    .first()
  if ((await button.count()) === 0) return false
  // A click by script needs none of the waits of a click by pointer, of which this would be a hundred.
  const opensMenu = await button.evaluate((element: HTMLElement) => {
    element.focus()
    element.click()
    return element.ariaHasPopup !== null
  })
  if (opensMenu) await page.locator(overlays).filter({ visible: true }).first().waitFor()
  return true
}

/** Waits until what was fetched for a press is rendered. */
async function untilRendered(page: Page): Promise<void> {
  await quiet(page)
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  await quiet(page)
}

const isOpen = async (page: Page) => (await page.locator(overlays).filter({ visible: true }).count()) > 0
const fieldCount = (page: Page) => page.locator('main :is(input, select, textarea)').filter({ visible: true }).count()

/** Closes what is open, and returns to the page if the button led elsewhere. */
async function restore(page: Page, address: string): Promise<void> {
  if (await isOpen(page)) await page.keyboard.press('Escape')
  const { pathname, search } = new URL(page.url())
  if (pathname !== address || search !== '') await visit(page, address)
  if (!(await isOpen(page))) return
  await page.goto(address)
  await quiet(page)
}
