//! What a plugin's library exports: the note, the descriptor, the entry function. Used by `plugin!`.
use crate::glue::{create, destroy, shutdown, Callback, HOST};
use crate::link::{name_of, str_of};
use crate::panic::install_hook;
use crate::sys;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// Constant tables with pointers in them.
#[repr(transparent)]
pub struct Static<T>(pub T);

unsafe impl<T> Sync for Static<T> {}

const fn copy_text<const N: usize>(text: &str) -> [std::os::raw::c_char; N] {
    assert!(text.len() < N, "a text of plugin! is too long for the note");
    let mut target = [0; N];
    let mut i = 0;
    while i < text.len() {
        target[i] = text.as_bytes()[i] as std::os::raw::c_char;
        i += 1;
    }
    target
}

pub const fn note(id: &str, version: &str, summary: &str, flags: u32) -> sys::mortise_note {
    let mut i = 0;
    while i < id.len() {
        let c = id.as_bytes()[i];
        assert!(
            c == b'_' || c.is_ascii_lowercase() || c.is_ascii_digit(),
            "an id has lower case letters, digits and underscores"
        );
        i += 1;
    }
    assert!(!id.is_empty(), "the id is empty");
    sys::mortise_note {
        magic: copy_text(name_of(sys::MORTISE_NOTE_MAGIC)),
        note_size: std::mem::size_of::<sys::mortise_note>() as u32,
        abi_major: sys::MORTISE_ABI_MAJOR,
        abi_minor_needed: ABI_MINOR_NEEDED,
        abi_minor_built: sys::MORTISE_ABI_MINOR,
        flags,
        reserved: 0,
        id: copy_text(id),
        version: copy_text(version),
        summary: copy_text(summary),
    }
}

/// The oldest minor version of the host that this layer runs on.
const ABI_MINOR_NEEDED: u32 = 0;

const fn span_of<T>(items: &'static [T]) -> sys::mortise_span {
    let stride = std::mem::size_of::<T>() as u64;
    sys::mortise_span { ptr: items.as_ptr() as *const c_void, count: items.len() as u64, stride }
}

pub const fn descriptor<T: Callback>(
    id: &'static str,
    version: &'static str,
    flags: u32,
    events: &'static Static<sys::mortise_events>,
) -> sys::mortise_plugin {
    sys::mortise_plugin {
        struct_size: std::mem::size_of::<sys::mortise_plugin>() as u32,
        flags,
        id: str_of(id),
        version: str_of(version),
        services: span_of(T::SERVICES),
        options: span_of(T::OPTIONS),
        instance_create: Some(create::<T>),
        shutdown: Some(shutdown::<T>),
        instance_destroy: Some(destroy::<T>),
        events: &events.0,
        get_extension: None,
        state_version: T::STATE_VERSION,
        reserved: 0,
        before: span_of(T::BEFORE),
        after: span_of(T::AFTER),
    }
}

/// # Safety
/// The arguments are those of the entry function.
pub unsafe fn entry(
    host: *const sys::mortise_host,
    plugin: *mut *const sys::mortise_plugin,
    descriptor: &'static Static<sys::mortise_plugin>,
) -> sys::mortise_status_t {
    HOST.store(host as *mut _, Ordering::Release);
    install_hook();
    *plugin = &descriptor.0;
    sys::MORTISE_OK
}

/// Whether the macro spells a name as the headers do.
pub const fn same(name: &'static [u8], spelled: &str) -> bool {
    let name = name_of(name).as_bytes();
    let mut i = 0;
    while i < name.len() && i < spelled.len() && name[i] == spelled.as_bytes()[i] {
        i += 1;
    }
    i == name.len() && i == spelled.len()
}

/// `plugin! { id, version, summary [, flags]; impl Callback for Type { ... } }`, once in a library.
///
/// The id has lower case letters, digits and underscores, at most 63; the version has at most 31 bytes, the summary at most 127
/// and says in one line what it does; flags are joined by `|`. Constants of the impl come before its functions. An event is
/// subscribed if the impl has it.
#[macro_export]
macro_rules! plugin {
    (
        $id:expr, $version:expr, $summary:expr $(, $flag:expr)? $(,)?;
        impl Callback for $type:ty {
            $($(#[$const_meta:meta])* const $const:ident: $const_type:ty = $value:expr;)*
            $($(#[$meta:meta])* fn $name:ident $arguments:tt $(-> $result:ty)? $body:block)*
        }
    ) => {
        impl $crate::Callback for $type {
            $($(#[$const_meta])* const $const: $const_type = $value;)*
            $($(#[$meta])* fn $name $arguments $(-> $result)? $body)*
        }

        const _: () = {
            const FLAGS: u32 = 0 $(| $flag)?;
            static EVENTS: $crate::export::Static<$crate::sys::mortise_events> = $crate::export::Static({
                let table = $crate::glue::no_events::<$type>();
                $(let table = $crate::glue::Subscribe::<$type>::$name(table);)*
                table
            });
            static PLUGIN: $crate::export::Static<$crate::sys::mortise_plugin> =
                $crate::export::Static($crate::export::descriptor::<$type>($id, $version, FLAGS, &EVENTS));

            #[no_mangle]
            #[used]
            #[link_section = ".mortise"]
            #[allow(non_upper_case_globals)]
            pub static mortise_plugin_note: $crate::sys::mortise_note =
                $crate::export::note($id, $version, $summary, FLAGS);

            #[no_mangle]
            pub unsafe extern "C" fn mortise_plugin_entry_v1(
                host: *const $crate::sys::mortise_host,
                plugin: *mut *const $crate::sys::mortise_plugin,
            ) -> $crate::sys::mortise_status_t {
                $crate::export::entry(host, plugin, &PLUGIN)
            }
            const _: () = assert!(
                $crate::export::same($crate::sys::MORTISE_ENTRY_NAME, "mortise_plugin_entry_v1")
                    && $crate::export::same($crate::sys::MORTISE_NOTE_NAME, "mortise_plugin_note")
                    && $crate::export::same($crate::sys::MORTISE_NOTE_SECTION, ".mortise"),
                "plugin! exports other names than the headers"
            );
        };
    };
}
