/// <reference lib="dom" />
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Where the server of the tests serves axe. */
export const axePath = '/-/axe.js'

/** Tags of the rules of WCAG 2.2 AA and of good practice. */
const accessRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const contrast: NonNullable<RunOptions['runOnly']> = { type: 'rule', values: ['color-contrast'] }

/** Selector of open dialogs. */
export const dialogs = '[role=dialog], [role=alertdialog]'

/**
 * Checks a page, or the part of it that a selector matches, for WCAG 2.2 AA with axe. Returns descriptions of all violations.
 * With a selector it first waits for such an element.
 */
export async function accessProblems(page: Page, within?: string): Promise<string[]> {
  if (within !== undefined) await page.locator(within).first().waitFor()
  await loadAxe(page)
  return runAxe(page, { within, options: { runOnly: accessRules } })
}

/**
 * Checks a page like `accessProblems`, or the part of it that a selector matches, for both themes. It computes the contrast of
 * one text for each combination of styles that is not in `checked`, and adds them to it.
 */
export async function problemsInBothThemes(
  page: Page,
  { within, checked }: { within: string | undefined; checked: Set<string> },
): Promise<string[]> {
  await loadAxe(page)
  const styles = (await page.evaluate(textStyles, { within })).filter((style) => !checked.has(style))
  const rules = { 'color-contrast': { enabled: styles.length > 0 } }
  const problems = await runAxe(page, { within, styles, options: { runOnly: accessRules, rules } })
  if (styles.length === 0) return problems
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await runAxe(page, { within, styles, options: { runOnly: contrast } })
  await page.emulateMedia({ colorScheme: 'light' })
  for (const style of styles) checked.add(style)
  return [...problems, ...dark.map((problem) => `dark: ${problem}`)]
}

async function loadAxe(page: Page): Promise<void> {
  // Every page has a heading once it is rendered.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ url: axePath })
}

interface Check {
  within?: string | undefined
  /** Styles of texts; the contrast of one text each is computed. Default: the contrast of all texts. */
  styles?: readonly string[]
  options: RunOptions
}

async function runAxe(page: Page, { within, styles, options }: Check): Promise<string[]> {
  if (styles) await page.evaluate(textStyles, { within, marked: styles })
  const { violations } = (await page.evaluate(
    async ({ within, texts, options }) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') } // defined by the script at `axePath`
      axe.configure({ rules: [{ id: 'color-contrast', selector: texts }] })
      // Base UI's focus guards pass the focus on immediately, so users never notice them.
      return axe.run(
        { ...(within && { include: [within] }), exclude: ['[data-base-ui-focus-guard]'] },
        // None of the rules needs style sheets.
        { resultTypes: ['violations'], preload: { assets: ['media'] }, selectors: false, ...options },
      )
    },
    { within, texts: styles ? '[data-contrast]' : '*', options },
  )) as AxeResults
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}

/**
 * Returns the styles of all texts: the classes from the text to its background, which have the colours of both themes, with the
 * computed colours and font. Marks the first text of each style in `marked`. Runs in the page.
 */
function textStyles({ within, marked }: { within?: string | undefined; marked?: readonly string[] }): string[] {
  // Styles are distinguished by the colours of the light theme, in which they are computed first.
  const page = globalThis as unknown as { textStyles?: WeakMap<Element, string> } // a property of this function only
  page.textStyles ??= new WeakMap()
  const known = page.textStyles
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const found = new Set<string>()
  const wanted = new Set(marked)
  for (const element of document.querySelectorAll('[data-contrast]')) element.removeAttribute('data-contrast')
  const roots = within === undefined ? [document.body] : [...document.querySelectorAll(within)]
  const styleOf = (element: Element): string => {
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    const parts = [color, fontSize, fontWeight]
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { backgroundColor, opacity } = getComputedStyle(at)
      parts.push(`${at.tagName}.${at.getAttribute('class') ?? ''} ${opacity}`)
      if (backgroundColor === 'rgba(0, 0, 0, 0)') continue
      parts.push(backgroundColor)
      // What shines through has another background behind it.
      if (!/\/|rgba/.test(backgroundColor)) break
    }
    return parts.join(' < ')
  }
  const hasText = (element: Element) =>
    element.matches('input, select, textarea') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (!hasText(element) || !element.checkVisibility()) continue
      const style = (isDark && known.get(element)) || styleOf(element)
      if (!isDark) known.set(element, style)
      found.add(style)
      if (wanted.delete(style)) element.setAttribute('data-contrast', '')
    }
  }
  return [...found]
}
