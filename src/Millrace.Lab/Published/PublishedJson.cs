using System.Text.Json.Serialization;

namespace Millrace.Lab.Published;

/// <summary>How the data files are read: a misspelt field is an error, not a lost figure.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(PublishedSet))]
internal sealed partial class PublishedJson : JsonSerializerContext;
