using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Mvc;

namespace Millrace.Transfer.Server;

/// <summary>The documents that the server stores and reports, without reflection.</summary>
[JsonSerializable(typeof(LeaseRecord))]
[JsonSerializable(typeof(EventLine))]
[JsonSerializable(typeof(EventRecord))]
[JsonSerializable(typeof(FolderLinkRecord))]
[JsonSerializable(typeof(FolderLinksDocument))]
[JsonSerializable(typeof(HealthDocument))]
[JsonSerializable(typeof(LinkDocument))]
[JsonSerializable(typeof(LinkRequestDocument))]
[JsonSerializable(typeof(LockDocument))]
[JsonSerializable(typeof(OpenLinkDocument))]
[JsonSerializable(typeof(OpenedLinkDocument))]
[JsonSerializable(typeof(ProblemDetails))]
[JsonSerializable(typeof(PropertyDocument))]
[JsonSerializable(typeof(ScrubState))]
[JsonSerializable(typeof(SessionDocument))]
[JsonSerializable(typeof(SignInDocument))]
[JsonSerializable(typeof(TokenDocument))]
[JsonSerializable(typeof(TrashRecord))]
[JsonSerializable(typeof(UploadRecord))]
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
internal sealed partial class ServerJson : JsonSerializerContext;
