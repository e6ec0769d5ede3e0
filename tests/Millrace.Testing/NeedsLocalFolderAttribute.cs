using Xunit.Abstractions;
using Xunit.Sdk;

namespace Millrace.Testing;

/// <summary>
/// Tests that look into a store's folder, or use features that a bucket lacks: links, devices, tokens beside the files.
/// <c>--filter Needs!=LocalFolder</c> leaves them out, for <c>MILLRACE_STORE=s3</c>.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
[TraitDiscoverer("Millrace.Testing.LocalFolderTrait", "Millrace.Testing")]
public sealed class NeedsLocalFolderAttribute : Attribute, ITraitAttribute;

/// <summary>Gives such a test its trait.</summary>
public sealed class LocalFolderTrait : ITraitDiscoverer
{
    public IEnumerable<KeyValuePair<string, string>> GetTraits(IAttributeInfo traitAttribute) => [KeyValuePair.Create("Needs", "LocalFolder")];
}
