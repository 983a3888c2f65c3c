import { store } from '../../data/store.ts'

/**
 * File that was dropped on the list of reports, for the page that imports it. Reading does not remove it, because a
 * component may read it on every render.
 */
export const droppedReport = store.slot<File | undefined>(() => undefined)
