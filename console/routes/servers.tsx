/** The pages of servers, and of what they are made of: volumes, images and placement groups. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadServers, newServerSearch, serversSearch } from '../families/servers/search.ts'
import { resourceSearch } from '../pages/shared/search.ts'
import { apiIn, inProject, loadList, loadOne } from './frame.tsx'

const servers = createRoute({
  getParentRoute: inProject,
  path: '/servers',
  validateSearch: serversSearch,
  loader: (asked) => loadServers(asked.context.cache, apiIn(asked)),
  component: lazyRouteComponent(() => import('../families/servers/list.tsx'), 'ServersPage'),
})

const newServer = createRoute({
  getParentRoute: inProject,
  path: '/servers/new',
  validateSearch: newServerSearch,
  loader: async (asked) => {
    const { loadNewServer } = await import('../families/servers/new-data.ts')
    return loadNewServer(asked.context.cache, apiIn(asked))
  },
  component: lazyRouteComponent(() => import('../families/servers/new.tsx'), 'NewServerPage'),
})

const server = createRoute({
  getParentRoute: inProject,
  path: '/servers/$id/{-$tab}',
  loader: (asked) => loadOne(asked, 'servers_get'),
  component: lazyRouteComponent(() => import('../families/servers/detail.tsx'), 'ServerPage'),
})

const volumes = createRoute({
  getParentRoute: inProject,
  path: '/volumes',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'volumes_list'),
  component: lazyRouteComponent(() => import('../families/volumes/list.tsx'), 'VolumesPage'),
})

const newVolume = createRoute({
  getParentRoute: inProject,
  path: '/volumes/new',
  component: lazyRouteComponent(() => import('../families/volumes/new.tsx'), 'NewVolumePage'),
})

const volume = createRoute({
  getParentRoute: inProject,
  path: '/volumes/$id',
  loader: (asked) => loadOne(asked, 'volumes_get'),
  component: lazyRouteComponent(() => import('../families/volumes/detail.tsx'), 'VolumePage'),
})

const images = createRoute({
  getParentRoute: inProject,
  path: '/images',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'images_list', { query: { include_deprecated: true } }),
  component: lazyRouteComponent(() => import('../families/images/list.tsx'), 'ImagesPage'),
})

const image = createRoute({
  getParentRoute: inProject,
  path: '/images/$id',
  loader: (asked) => loadOne(asked, 'images_get'),
  component: lazyRouteComponent(() => import('../families/images/detail.tsx'), 'ImagePage'),
})

const placementGroups = createRoute({
  getParentRoute: inProject,
  path: '/placement-groups',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'placement_groups_list'),
  component: lazyRouteComponent(() => import('../families/placement-groups/list.tsx'), 'PlacementGroupsPage'),
})

export const serverPages = [
  servers,
  newServer,
  server,
  volumes,
  newVolume,
  volume,
  images,
  image,
  placementGroups,
] as const
