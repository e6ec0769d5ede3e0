namespace Millrace.Transfer;

/// <summary>Why a text is not a <see cref="TransferName"/>.</summary>
internal enum NameFault
{
    /// <summary>It is one.</summary>
    None,

    /// <summary>It is empty.</summary>
    Empty,

    /// <summary>It is longer than <see cref="NameRules.MaxBytes"/>, or one part is longer than <see cref="NameRules.MaxPartBytes"/>.</summary>
    TooLong,

    /// <summary>It begins with a slash.</summary>
    Absolute,

    /// <summary>Two slashes follow each other, or it ends with one.</summary>
    EmptyPart,

    /// <summary>A part, or a piece between backslashes, is <c>.</c> or <c>..</c>, as it stands or after another round of percent-decoding.</summary>
    DotPart,

    /// <summary>It has NUL or an encoded slash, or an escape that is none.</summary>
    ForbiddenCharacter,

    /// <summary>It is not valid UTF-8, or has half of a surrogate pair.</summary>
    NotUnicode,

    /// <summary>A part is the folder in which a store keeps its own files, <see cref="NameRules.HiddenFolder"/>, or a staged file.</summary>
    Hidden,
}
