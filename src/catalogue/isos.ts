/** The built-in ISOs. */
import type { Architecture, Iso } from './catalogue.ts'

type Row = readonly [id: number, name: string, description: string]

const windows = (id: number, end: string, description: string): Row => [
  id,
  `SW_DVD9_Win_Server_STD_CORE_${end}`,
  description,
]

const x86: readonly Row[] = [
  [551, 'systemrescuecd-x86-5.2.2.iso', 'SystemRescueCD (2018-04-02)'],
  windows(1210, '2019_64Bit_English_DC_STD_MLF_X21-96581.iso', 'Windows Server 2019 English'),
  windows(8637, '2022__64Bit_English_DC_STD_MLF_X22-74290.iso', 'Windows Server 2022 English'),
  windows(8638, '2022__64Bit_German_DC_STD_MLF_X22-74292.iso', 'Windows Server 2022 German'),
  windows(8639, '2022__64Bit_Russian_DC_STD_MLF_X22-74303.iso', 'Windows Server 2022 Russian'),
  [10433, 'vyos-1.4-rolling-202111150317-amd64.iso', 'VyOS 1.4 (amd64)'],
  [10721, 'ipfire-2.27.x86_64-full-core160.iso', 'IPFire 2.27 (amd64)'],
  [10724, 'alpine-virt-3.15.0-x86_64.iso', 'Alpine Virtual 3.15 (amd64)'],
  [11311, 'nixos-minimal-21.11.335288.3ddd960a3b5-x86_64-linux.iso', 'NixOS 21.11 (amd64/minimal)'],
  [11471, 'debian-11.2.0-amd64-netinst.iso', 'Debian 11.2 (amd64/netinstall)'],
  [11559, 'virtio-win-0.1.215.iso', 'virtio-win-0.1.215'],
  [11624, 'OPNsense-22.1-OpenSSL-dvd-amd64.iso', 'OPNsense 22.1 (amd64)'],
  [12164, 'pfSense-CE-2.6.0-RELEASE-amd64.iso', 'pfSense CE 2.6.0 (amd64)'],
  [13195, 'ubuntu-22.04-live-server-amd64.iso', 'Ubuntu 22.04 Live Server (amd64)'],
  [122898, 'systemrescue-12.02-amd64.iso', 'SystemRescue 12.02 (amd64)'],
]

const arm: readonly Row[] = [
  [130001, 'alpine-virt-3.22.1-aarch64.iso', 'Alpine Virtual 3.22 (arm64)'],
  [130002, 'debian-13.1.0-arm64-netinst.iso', 'Debian 13.1 (arm64/netinstall)'],
  [130003, 'ubuntu-24.04.3-live-server-arm64.iso', 'Ubuntu 24.04 Live Server (arm64)'],
  [130004, 'FreeBSD-14.3-RELEASE-arm64-aarch64-bootonly.iso', 'FreeBSD 14.3 (arm64/netinstall)'],
]

const isosFor =
  (architecture: Architecture) =>
  ([id, name, description]: Row): Iso => ({ id, name, description, architecture, deprecation: null })

export const isos: readonly Iso[] = [...x86.map(isosFor('x86')), ...arm.map(isosFor('arm'))]
