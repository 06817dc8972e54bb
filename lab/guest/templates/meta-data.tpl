instance-id: {{ instance.name }}-{{ config_get("user.wolke.installation", "0") }}
local-hostname: {{ config_get("user.wolke.name", instance.name) }}
{{ config_get("user.meta-data", "") }}
