package sql

import (
	"strings"
	"sync"

	"palisade"
)

// effect is what a function does beyond computing its value.
type effect struct {
	does palisade.Capability
	// on is the argument that it does it on, from 1; 0: none that matters;
	// unnamed: on what no argument names.
	on int
	// also is a second capability, always with an argument that is not known.
	also palisade.Capability
	// sql says that string arguments may be SQL which it runs.
	sql bool
	// few is how many arguments it needs to have an effect; 0: any number.
	few int
	why string
}

// unnamed is the place of an argument that no call has.
const unnamed = 1 << 10

// effects gives the functions that do something. Sources: PostgreSQL's manual,
// chapters 9.26 to 9.28, 34 and appendix F; MySQL's, chapters 14.8, 14.14,
// 14.18 and 14.24; SQLite's "Command Line Shell" and "C-language interface";
// DuckDB's and ClickHouse's manuals on table functions; lib_mysqludf_sys.
var effects = sync.OnceValue(func() map[string]effect {
	m := map[string]effect{}
	set := func(e effect, names string) {
		for _, n := range strings.Fields(names) {
			m[n] = e
		}
	}
	set(effect{does: palisade.CapReadPath, on: 1, why: "reads a file of the server"},
		`pg_read_file pg_read_binary_file pg_read_file_old pg_stat_file pg_file_read load_file readfile
		read_csv read_csv_auto parquet_scan read_parquet parquet_metadata parquet_schema read_json read_json_auto read_json_objects
		read_ndjson read_ndjson_auto read_ndjson_objects read_text read_blob read_xlsx sniff_csv st_read sqlite_scan sqlite_attach
		iceberg_scan delta_scan file zipfile`)
	set(effect{does: palisade.CapReadPath, on: 1, why: "lists a folder of the server"}, `pg_ls_dir fsdir lsdir`)
	set(effect{does: palisade.CapReadPath, on: 0, why: "lists a folder of the server"},
		`pg_ls_logdir pg_ls_waldir pg_ls_tmpdir pg_ls_archive_statusdir pg_ls_logicalmapdir pg_ls_logicalsnapdir
		pg_ls_replslotdir pg_logdir_ls pg_current_logfile`)
	set(effect{does: palisade.CapReadPath, on: 1, also: palisade.CapWriteData, why: "reads a file of the server into a large object"}, `lo_import`)
	set(effect{does: palisade.CapWritePath, on: 2, why: "writes a large object to a file of the server"}, `lo_export`)
	set(effect{does: palisade.CapWritePath, on: 1, why: "writes a file"}, `writefile pg_file_write pg_file_sync`)
	set(effect{does: palisade.CapWritePath, on: 2, also: palisade.CapDeletePath, why: "renames a file of the server"}, `pg_file_rename`)
	set(effect{does: palisade.CapDeletePath, on: 1, why: "deletes a file of the server"}, `pg_file_unlink`)
	set(effect{does: palisade.CapWriteData, on: 0, why: "changes large objects"},
		`lo_creat lo_create lo_from_bytea lo_open lo_put lo_truncate lo_truncate64 lo_unlink lowrite`)
	set(effect{does: palisade.CapProcess, on: 1, why: "runs a program"}, `sys_exec sys_eval executable xp_cmdshell`)
	set(effect{does: palisade.CapProcess, on: 2, why: "starts an editor"}, `edit`)
	set(effect{does: palisade.CapEnvironment, on: 1, why: "reads or sets an environment variable"}, `sys_get sys_set getenv`)
	set(effect{does: palisade.CapNative, on: 1, why: "loads native code"}, `load_extension fts3_tokenizer`)
	set(effect{does: palisade.CapNetwork, on: 1, sql: true, also: palisade.CapEvaluate, why: "opens a connection to a server and runs SQL there"},
		`dblink dblink_exec dblink_open dblink_fetch dblink_send_query dblink_get_result dblink_close`)
	set(effect{does: palisade.CapNetwork, on: 1, why: "opens a connection"},
		`dblink_connect dblink_connect_u dblink_disconnect postgres_scan postgres_attach mysql_scan remote remotesecure url s3 s3cluster gcs hdfs
		azureblobstorage deltalake iceberg hudi mysql postgresql mongodb redis jdbc odbc urlcluster http http_get http_post http_put http_patch http_delete http_head
		http_set_curlopt http_request`)
	set(effect{does: palisade.CapEvaluate, on: 1, sql: true, why: "runs a string as SQL"},
		`query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml cursor_to_xmlschema ts_stat ts_rewrite crosstab crosstab2
		crosstab3 crosstab4 crosstabn connectby xpath_table execute_prepared_stmt query query_table eval`)
	set(effect{does: palisade.CapReadData, on: 1, why: "reads a setting"}, `current_setting`)
	set(effect{does: palisade.CapReadData, on: 1, why: "reads a whole table"}, `table_to_xml table_to_xmlschema table_to_xml_and_xmlschema`)
	set(effect{does: palisade.CapReadData, on: unnamed, why: "reads all tables of a schema or database, or large objects"},
		`schema_to_xml schema_to_xmlschema schema_to_xml_and_xmlschema
		database_to_xml database_to_xmlschema database_to_xml_and_xmlschema lo_get loread`)
	set(effect{does: palisade.CapSideEffect, on: 0, why: "advances or sets a sequence"}, `nextval setval`)
	set(effect{does: palisade.CapSideEffect, on: 1, why: "changes a setting"}, `set_config setseed`)
	set(effect{does: palisade.CapSideEffect, on: 1, few: 1, why: "sets the last insert ID"}, `last_insert_id`)
	set(effect{does: palisade.CapSideEffect, on: 0, why: "holds a connection, or burns time"},
		`pg_sleep pg_sleep_for pg_sleep_until sleep benchmark master_pos_wait source_pos_wait wait_for_executed_gtid_set
		wait_until_sql_thread_after_gtids`)
	set(effect{does: palisade.CapSideEffect, on: 0, why: "takes or releases a lock"},
		`pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_all pg_advisory_unlock_shared
		pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared
		pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared get_lock release_lock release_all_locks
		service_get_read_locks service_get_write_locks service_release_locks`)
	set(effect{does: palisade.CapSideEffect, on: 0, why: "ends or cancels other sessions"}, `pg_cancel_backend pg_terminate_backend ps_kill`)
	set(effect{does: palisade.CapSideEffect, on: 1, why: "sends a message to other sessions"}, `pg_notify pg_logical_emit_message`)
	set(effect{does: palisade.CapSideEffect, on: 0, why: "acts on the server"},
		`pg_reload_conf pg_rotate_logfile pg_rotate_logfile_old pg_switch_wal pg_switch_xlog pg_create_restore_point pg_promote
		pg_backup_start pg_backup_stop pg_start_backup pg_stop_backup pg_wal_replay_pause pg_wal_replay_resume
		pg_log_backend_memory_contexts pg_log_standby_snapshot pg_import_system_collations pg_extension_config_dump
		pg_stat_clear_snapshot pg_stat_force_next_flush pg_stat_reset pg_stat_reset_shared pg_stat_reset_slru pg_stat_statements_reset
		pg_stat_reset_single_table_counters pg_stat_reset_single_function_counters pg_stat_reset_replication_slot
		pg_stat_reset_subscription_stats pg_create_physical_replication_slot pg_create_logical_replication_slot
		pg_copy_physical_replication_slot pg_copy_logical_replication_slot pg_drop_replication_slot pg_replication_slot_advance
		pg_logical_slot_get_changes pg_logical_slot_get_binary_changes pg_logical_slot_peek_changes
		pg_logical_slot_peek_binary_changes pg_replication_origin_create pg_replication_origin_drop pg_replication_origin_advance
		pg_replication_origin_session_setup pg_replication_origin_session_reset pg_replication_origin_xact_setup
		pg_replication_origin_xact_reset pg_sync_replication_slots pg_export_snapshot pg_prewarm pg_truncate_visibility_map
		brin_summarize_new_values brin_summarize_range brin_desummarize_range gin_clean_pending_list pg_nextoid
		pg_current_xact_id txid_current pg_set_relation_stats pg_restore_relation_stats pg_clear_relation_stats
		set_limit update_geometry_srid addgeometrycolumn
		asynchronous_connection_failover_add_source asynchronous_connection_failover_delete_source
		group_replication_set_as_primary group_replication_switch_to_multi_primary_mode group_replication_switch_to_single_primary_mode
		group_replication_set_write_concurrency group_replication_set_communication_protocol keyring_key_store keyring_key_fetch
		keyring_key_remove keyring_key_generate audit_log_filter_set_filter audit_log_rotate mysql_firewall_flush_status
		sqlite_log`)
	return m
})
