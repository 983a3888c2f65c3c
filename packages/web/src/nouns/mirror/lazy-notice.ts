import { lazyComponent, nothingYet } from '../../components/lazy-component.tsx'

/** Notice of a mirror. Few places are one, so its code is fetched for them only. */
export const MirrorNotice = lazyComponent(async () => (await import('./mirror-notice.tsx')).MirrorNotice, nothingYet)
