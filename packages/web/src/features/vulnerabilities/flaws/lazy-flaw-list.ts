import { lazyComponent } from '../../../components/lazy-component.tsx'

export const FlawList = lazyComponent(async () => (await import('../flaw-list.tsx')).FlawList)
